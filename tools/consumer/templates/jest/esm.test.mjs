import { BabelQueueError, createEnvelope, decodeEnvelope, encodeEnvelope } from "@babelqueue/core";
import { MemoryTransport } from "@babelqueue/core/testing";
import { otel } from "@babelqueue/otel";
import { SqsConsumer } from "@babelqueue/sqs";
import { createSqsHandler } from "@babelqueue/sqs/lambda";
import { startSqs } from "@babelqueue/sqs/testing";

const urn = "urn:babel:orders:created";

test("a message is published and handled in memory, through the middleware of otel", async () => {
  const handled = [];
  const { send, consume } = otel();
  const memory = new MemoryTransport();
  await memory.publisher("orders", { middleware: [send] }).publish(urn, { order_id: 1042 });
  const handlers = { [urn]: ({ data }) => handled.push(data.order_id) };
  await memory.consumer("orders", handlers, { middleware: [consume] }).poll();
  expect(handled).toEqual([1042]);
});

test("a message of SQS and a record of Lambda are handled", async () => {
  const handled = [];
  const handlers = { [urn]: ({ data }) => handled.push(data.order_id) };
  const body = encodeEnvelope(createEnvelope(urn, { order_id: 1042 }));
  const client = {
    send: async () => ({
      Messages: [{ MessageId: "m-1", ReceiptHandle: "r-1", Body: body }],
      Successful: [{ Id: "0" }],
    }),
  };
  const url = "http://127.0.0.1/000000000000/orders";
  await new SqsConsumer(client, url, handlers).poll();
  const eventSourceARN = "arn:aws:sqs:eu-central-1:123456789012:orders";
  const event = { Records: [{ messageId: "m-1", body, eventSourceARN }] };
  expect(await createSqsHandler(handlers)(event)).toEqual({ batchItemFailures: [] });
  expect(handled).toEqual([1042, 1042]);
});

test("an error is known by its class", () => {
  expect(() => decodeEnvelope("[]")).toThrow(BabelQueueError);
});

test("the embedded server says what to install", async () => {
  await expect(startSqs()).rejects.toThrow("npm install --save-dev fauxqs");
});
