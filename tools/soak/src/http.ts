import http from "node:http";
import type { Readable } from "node:stream";

export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * Listens on a free port of the loopback interface.
 *
 * @returns its URL
 */
export async function listen(server: http.Server): Promise<string> {
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port to listen on");
  return `http://127.0.0.1:${address.port}`;
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export function post(
  agent: http.Agent,
  url: string,
  operation: string,
  body: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/x-amz-json-1.0",
      "content-length": Buffer.byteLength(body),
      "x-amz-target": `AmazonSQS.${operation}`,
    };
    const request = http.request(url, { method: "POST", agent, headers }, (response) => {
      readAll(response).then((answer) => {
        const { statusCode: status = 0 } = response;
        resolve({ status, headers: response.headers, body: answer });
      }, reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** What older clients know an error by, where that is another name. */
const QUERY_CODES: Readonly<Record<string, string>> = {
  QueueDoesNotExist: "AWS.SimpleQueueService.NonExistentQueue",
};

export interface ErrorAnswer {
  headers: { "content-type": string; "x-amzn-query-error": string };
  body: string;
}

/** An error as SQS writes it. */
export function errorAnswer(code: string, message: string, senderFault: boolean): ErrorAnswer {
  return {
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amzn-query-error": `${QUERY_CODES[code] ?? code};${senderFault ? "Sender" : "Receiver"}`,
    },
    body: JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message }),
  };
}
