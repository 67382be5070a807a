// An AWS Lambda function behind an SQS queue. template.yaml deploys it.
import { SQSClient } from "@aws-sdk/client-sqs";
import { exponentialBackoff, UrnRouter } from "@babelqueue/core";
import { createSqsHandler } from "@babelqueue/sqs/lambda";

/** @typedef {{ order_id: number, quantity: number }} Order */

const router = new UrnRouter().on(
  "urn:babel:orders:created",
  /** @param {import("@babelqueue/core").Envelope<Order>} envelope */
  async ({ data }, _message, { signal }) => {
    if (data.quantity < 1) throw new RangeError(`Order ${data.order_id} is empty`);
    signal.throwIfAborted(); // it aborts a second before the time is up; hand it to long work
    console.log(`Order ${data.order_id} is shipped`);
  },
);

// made once, outside the handler: the next invocation finds the connections open
export const handler = createSqsHandler(router, {
  client: new SQSClient({}),
  deadLetterQueueUrl: process.env["DEAD_LETTER_QUEUE_URL"],
  // on AWS it follows from the event; for a local emulator
  queueUrl: process.env["QUEUE_URL"],
  releaseDelaySeconds: exponentialBackoff({ baseSeconds: 5, maxSeconds: 900 }),
  onError: (error, envelope, message) =>
    console.error(message?.MessageId, envelope?.trace_id, error),
});
