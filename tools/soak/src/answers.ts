import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { type Fault, SERVER_ERRORS, THROTTLES } from "./faults.js";
import { type Answer, errorAnswer } from "./http.js";

export function respond(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0", ...headers });
  response.end(body);
}

/** Ends the connection without an answer. */
export function cut(response: ServerResponse): void {
  response.socket?.destroy();
}

/** Ends the connection in the middle of the answer. */
export async function cutHalf(response: ServerResponse, { status, body }: Answer): Promise<void> {
  response.writeHead(status, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": body.length,
  });
  await new Promise((resolve) => {
    response.write(body.subarray(0, body.length / 2), resolve);
  });
  cut(response);
}

/** Answers with an error of the fault's kind. */
export function refuse(response: ServerResponse, { answer, ms }: Fault): void {
  const errors = answer === "throttle" ? THROTTLES : SERVER_ERRORS;
  const { code, status } = errors[ms % errors.length] ?? { code: "InternalFailure", status: 500 };
  const { headers, body } = errorAnswer(code, "Injected", answer === "throttle");
  respond(response, status, body, headers);
}
