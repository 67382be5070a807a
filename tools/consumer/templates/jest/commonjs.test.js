const { createEnvelope, decodeEnvelope, encodeEnvelope, BabelQueueError, InvalidEnvelopeError } =
  require("@babelqueue/core");
const { MemoryTransport } = require("@babelqueue/core/testing");
const { otel } = require("@babelqueue/otel");
const { SqsConsumer, SqsPublisher } = require("@babelqueue/sqs");
const { createSqsHandler } = require("@babelqueue/sqs/lambda");
const { startSqs } = require("@babelqueue/sqs/testing");

const urn = "urn:babel:orders:created";
const url = "http://127.0.0.1/000000000000/orders";

test("a message is published and handled in memory, through the middleware of otel", async () => {
  const handled = [];
  const { send, consume } = otel();
  const memory = new MemoryTransport();
  await memory.publisher("orders", { middleware: [send] }).publish(urn, { order_id: 1042 });
  const handlers = { [urn]: ({ data }) => handled.push(data.order_id) };
  await memory.consumer("orders", handlers, { middleware: [consume] }).poll();
  expect(handled).toEqual([1042]);
  expect(memory.messages("orders")).toEqual([]);
});

test("a message goes through the classes for SQS", async () => {
  const queue = [];
  const client = {
    send: jest.fn(async ({ constructor: { name }, input }) => {
      if (name === "SendMessageCommand") queue.push({ ...input, Body: input.MessageBody });
      if (name !== "ReceiveMessageCommand") return { MessageId: "m-1", Successful: [{ Id: "0" }] };
      const Messages = queue.splice(0).map((message) => ({
        ...message,
        MessageId: "m-1",
        ReceiptHandle: "r-1",
      }));
      return { Messages };
    }),
  };
  const handler = jest.fn();
  await new SqsPublisher(client, url).publish(urn, { order_id: 1042 });
  const consumer = new SqsConsumer(client, url, { [urn]: handler });
  expect(await consumer.poll()).toBe(1);
  await consumer.stop();
  expect(handler.mock.calls[0][0].data).toEqual({ order_id: 1042 });
  expect(consumer.stats()).toMatchObject({ handled: 1, failedDeletes: 0 });
});

test("a handler for Lambda names what failed", async () => {
  const body = encodeEnvelope(createEnvelope(urn, { order_id: 1042 }));
  const eventSourceARN = "arn:aws:sqs:eu-central-1:123456789012:orders";
  const handler = createSqsHandler(
    {
      [urn]: (_envelope, { MessageId }) => {
        if (MessageId === "m-2") throw new RangeError("no");
      },
    },
    { onError: () => {} },
  );
  const Records = ["m-1", "m-2"].map((messageId) => ({ messageId, body, eventSourceARN }));
  expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: "m-2" }] });
});

test("an error is known by its class", () => {
  expect(() => decodeEnvelope("[]")).toThrow(InvalidEnvelopeError);
  expect(() => decodeEnvelope("[]")).toThrow(BabelQueueError);
  expect(() => decodeEnvelope("[]")).toThrow(Error);
});

test("the embedded server says what Jest needs to load it", async () => {
  await expect(startSqs()).rejects.toThrow("--experimental-vm-modules");
});
