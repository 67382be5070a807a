import http from "node:http";

/**
 * @param {import("node:stream").Readable} stream
 * @returns {Promise<Buffer>}
 */
export async function readAll(stream) {
  /** @type {Buffer[]} */
  const chunks = [];
  for await (const chunk of stream) chunks.push(/** @type {Buffer} */ (chunk));
  return Buffer.concat(chunks);
}

/**
 * Listens on a free port of the loopback interface.
 *
 * @param {http.Server} server
 * @returns {Promise<string>} its URL
 */
export async function listen(server) {
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port to listen on");
  return `http://127.0.0.1:${address.port}`;
}

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {http.IncomingHttpHeaders} headers
 * @property {Buffer} body
 *
 * @param {http.Agent} agent
 * @param {string} url
 * @param {string} operation
 * @param {string} body
 * @returns {Promise<Answer>}
 */
export function post(agent, url, operation, body) {
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
/** @type {Readonly<Record<string, string>>} */
const QUERY_CODES = { QueueDoesNotExist: "AWS.SimpleQueueService.NonExistentQueue" };

/**
 * An error as SQS writes it.
 *
 * @param {string} code
 * @param {string} message
 * @param {boolean} senderFault
 */
export function errorAnswer(code, message, senderFault) {
  return {
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amzn-query-error": `${QUERY_CODES[code] ?? code};${senderFault ? "Sender" : "Receiver"}`,
    },
    body: JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message }),
  };
}
