import { createServer } from "node:http";
import { SQSServiceException } from "@aws-sdk/client-sqs";
import { errorAnswer, readAll } from "./http.mjs";

/** @typedef {Parameters<import("fake-sqs").FakeSqs["perform"]>[0]} SqsRequest */

/**
 * The strict fake behind HTTP: the AWS JSON 1.0 protocol, as far as SQS clients use it.
 *
 * @param {import("fake-sqs").FakeSqs} fake
 * @param {(name: string) => boolean} isOperation
 * @param {() => Record<string, string>} stamp headers for an answer, made when it is ready
 */
export function fakeFront(fake, isOperation, stamp) {
  return createServer((request, response) => void serve(request, response));

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  async function serve(request, response) {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const operation = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
    try {
      const body = (await readAll(request)).toString();
      if (!isOperation(operation)) throw unknownOperation(operation);
      const input = toBinary(/** @type {object} */ (JSON.parse(body)));
      const output = await fake.perform(
        /** @type {SqsRequest} */ ({ operation, input }),
        gone.signal,
      );
      response.writeHead(200, { "content-type": "application/x-amz-json-1.0", ...stamp() });
      response.end(JSON.stringify(output, fromBinary));
    } catch (error) {
      if (gone.signal.aborted) return;
      const { status, headers, body } = toAnswer(error);
      response.writeHead(status, { ...headers, ...stamp() });
      response.end(body);
    }
  }
}

/** @param {unknown} error */
function toAnswer(error) {
  if (error instanceof SQSServiceException) {
    const { name, message, $fault, $metadata } = error;
    return {
      status: $metadata.httpStatusCode ?? 400,
      ...errorAnswer(name, message, $fault === "client"),
    };
  }
  return { status: 500, ...errorAnswer("InternalFailure", String(error), false) };
}

/** @param {string} operation */
function unknownOperation(operation) {
  return new SQSServiceException({
    name: "InvalidAction",
    message: `The action ${operation} is not valid for this endpoint.`,
    $fault: "client",
    $metadata: { httpStatusCode: 400 },
  });
}

/**
 * Blobs are base64 in JSON; only the values of message attributes are any.
 *
 * @param {object} input
 * @returns {object}
 */
function toBinary(input) {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      if (key === "BinaryValue") return [key, Buffer.from(String(value), "base64")];
      if (Array.isArray(value)) return [key, value.map(toBinaryItem)];
      return [key, toBinaryItem(value)];
    }),
  );
}

/**
 * @param {unknown} item
 * @returns {unknown}
 */
function toBinaryItem(item) {
  return typeof item === "object" && item !== null ? toBinary(item) : item;
}

/**
 * A replacer for `JSON.stringify`.
 *
 * @param {string} key
 * @param {unknown} value
 */
function fromBinary(key, value) {
  if (key !== "BinaryValue" || typeof value !== "object" || value === null) return value;
  // a Buffer's toJSON came first, another Uint8Array is as it was
  const bytes = "data" in value ? value.data : Object.values(value);
  return Buffer.from(/** @type {number[]} */ (bytes)).toString("base64");
}
