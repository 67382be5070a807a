// Calls the handler of a bundle, as Lambda would, with an event of one good and one bad record.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { handler } = await import(pathToFileURL(resolve(process.argv[2])).href);
const record = (messageId, data) => ({
  messageId,
  receiptHandle: `receipt of ${messageId}`,
  body: JSON.stringify({
    job: "urn:babel:orders:created",
    trace_id: "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b",
    data,
    meta: { id: messageId, queue: "orders", lang: "php", schema_version: 1, created_at: 1 },
    attempts: 0,
  }),
  attributes: { ApproximateReceiveCount: "1" },
  eventSource: "aws:sqs",
  eventSourceARN: "arn:aws:sqs:us-east-1:123456789012:orders",
});
const event = {
  Records: [
    record("m-1", { order_id: 1042, quantity: 3 }),
    record("m-2", { order_id: 1043, quantity: 0 }),
  ],
};
console.log(JSON.stringify(await handler(event, { getRemainingTimeInMillis: () => 30_000 })));
