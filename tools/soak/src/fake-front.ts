import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { SQSServiceException } from "@aws-sdk/client-sqs";
import { type FakeSqs, isOperation } from "fake-sqs";
import { type ErrorAnswer, errorAnswer, readAll } from "./http.js";

type SqsRequest = Parameters<FakeSqs["perform"]>[0];

/**
 * The strict fake behind HTTP: the AWS JSON 1.0 protocol, as far as SQS clients use it.
 *
 * @param stamp headers for an answer, made when it is ready
 */
export function fakeFront(fake: FakeSqs, stamp: () => Record<string, string>): Server {
  return createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const operation = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
    try {
      const body = (await readAll(request)).toString();
      if (!isOperation(operation)) throw unknownOperation(operation);
      const input = toBinary(JSON.parse(body) as object);
      const output = await fake.perform({ operation, input } as SqsRequest, gone.signal);
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

function toAnswer(error: unknown): ErrorAnswer & { status: number } {
  if (error instanceof SQSServiceException) {
    const { name, message, $fault, $metadata } = error;
    return {
      status: $metadata.httpStatusCode ?? 400,
      ...errorAnswer(name, message, $fault === "client"),
    };
  }
  return { status: 500, ...errorAnswer("InternalFailure", String(error), false) };
}

function unknownOperation(operation: string): SQSServiceException {
  return new SQSServiceException({
    name: "InvalidAction",
    message: `The action ${operation} is not valid for this endpoint.`,
    $fault: "client",
    $metadata: { httpStatusCode: 400 },
  });
}

/** Blobs are base64 in JSON; only the values of message attributes are any. */
function toBinary(input: object): object {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      if (key === "BinaryValue") return [key, Buffer.from(String(value), "base64")];
      if (Array.isArray(value)) return [key, value.map(toBinaryItem)];
      return [key, toBinaryItem(value)];
    }),
  );
}

function toBinaryItem(item: unknown): unknown {
  return typeof item === "object" && item !== null ? toBinary(item) : item;
}

/** A replacer for `JSON.stringify`. */
function fromBinary(key: string, value: unknown): unknown {
  if (key !== "BinaryValue" || typeof value !== "object" || value === null) return value;
  // a Buffer's toJSON came first, another Uint8Array is as it was
  const bytes = "data" in value ? value.data : Object.values(value);
  return Buffer.from(bytes as number[]).toString("base64");
}
