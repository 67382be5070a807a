import { SERVER_ERRORS, THROTTLES } from "./faults.mjs";
import { errorAnswer } from "./http.mjs";

/** @typedef {import("node:http").ServerResponse} ServerResponse */

/**
 * @param {ServerResponse} response
 * @param {number} status
 * @param {string | Buffer} body
 * @param {import("node:http").OutgoingHttpHeaders} [headers]
 */
export function respond(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0", ...headers });
  response.end(body);
}

/** Ends the connection without an answer. @param {ServerResponse} response */
export function cut(response) {
  response.socket?.destroy();
}

/**
 * Ends the connection in the middle of the answer.
 *
 * @param {ServerResponse} response
 * @param {import("./http.mjs").Answer} answer
 */
export async function cutHalf(response, { status, body }) {
  response.writeHead(status, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": body.length,
  });
  await new Promise((resolve) => {
    response.write(body.subarray(0, body.length / 2), resolve);
  });
  cut(response);
}

/**
 * Answers with an error of the fault's kind.
 *
 * @param {ServerResponse} response
 * @param {import("./faults.mjs").Fault} fault
 */
export function refuse(response, { answer, ms }) {
  const errors = answer === "throttle" ? THROTTLES : SERVER_ERRORS;
  const { code, status } = errors[ms % errors.length] ?? { code: "InternalFailure", status: 500 };
  const { headers, body } = errorAnswer(code, "Injected", answer === "throttle");
  respond(response, status, body, headers);
}
