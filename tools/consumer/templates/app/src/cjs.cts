import aws = require("@aws-sdk/client-sqs");
import core = require("@babelqueue/core");
import coreTesting = require("@babelqueue/core/testing");
import otel = require("@babelqueue/otel");
import sqs = require("@babelqueue/sqs");
import sqsTesting = require("@babelqueue/sqs/testing");

interface Order {
  order_id: number;
}

// a client whose queue is this array
const queue: aws.Message[] = [];
const client = new aws.SQSClient({ region: "us-east-1" });
client.send = (async ({ constructor: { name }, input }: { constructor: Function; input: any }) => {
  if (name === "SendMessageCommand") queue.push({ ...input, Body: input.MessageBody });
  if (name === "SendMessageBatchCommand") {
    for (const entry of input.Entries) queue.push({ ...entry, Body: entry.MessageBody });
  }
  const entries: { Id: string }[] = input.Entries ?? [];
  return {
    $metadata: {},
    MessageId: "m-1",
    Successful: entries.map(({ Id }) => ({ Id, MessageId: "m-1" })),
    Messages: name === "ReceiveMessageCommand" ? queue.splice(0, 10).map(received) : undefined,
  };
}) as typeof client.send;
function received(message: aws.Message): aws.Message {
  return { ...message, MessageId: "m-1", ReceiptHandle: "r-1" };
}

async function main(): Promise<void> {
  const handled: number[] = [];
  const url = "http://127.0.0.1/000000000000/orders";
  const id: string = await new sqs.SqsPublisher(client, url).publish("urn:babel:orders:created", {
    order_id: 1042,
  });
  // the router is of the other copy of core
  const esm = await import("@babelqueue/core");
  const router = new esm.UrnRouter<aws.Message>().on<Order>(
    "urn:babel:orders:created",
    (envelope) => {
      handled.push(envelope.data.order_id);
    },
  );
  const consumer = new sqs.SqsConsumer(client, url, router);
  const count: number = await consumer.poll();
  await consumer.stop();

  const memory = new coreTesting.MemoryTransport();
  memory.sendRaw("orders", "not json");
  const told = await sqsTesting.startSqs().catch((error: Error) => error.message);
  if (memory.messages("orders").length !== 1 || !String(told).includes("fauxqs")) {
    throw new Error("The testing kits don't work");
  }

  const envelope: core.Envelope<Order> = core.createEnvelope("urn:babel:orders:created", {
    order_id: 1,
  });
  const decoded: core.Envelope = core.decodeEnvelope(core.encodeEnvelope(envelope));
  const attributes = Object.keys(sqs.toMessageAttributes(decoded)).length;

  let known = false;
  try {
    core.decodeEnvelope("[]");
  } catch (error) {
    known = error instanceof esm.BabelQueueError && error instanceof core.BabelQueueError;
  }
  console.log([id.length, count, handled, attributes, known, typeof otel].join(" "));
}
void main();
