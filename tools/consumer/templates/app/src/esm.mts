import { createRequire } from "node:module";
import { type Message, SQSClient } from "@aws-sdk/client-sqs";
import {
  BabelQueueError,
  createEnvelope,
  decodeEnvelope,
  type Envelope,
  encodeEnvelope,
  UrnRouter,
} from "@babelqueue/core";
import { MemoryTransport, type TransportCase, transportCases } from "@babelqueue/core/testing";
import * as otel from "@babelqueue/otel";
import { SqsConsumer, SqsPublisher, toMessageAttributes } from "@babelqueue/sqs";
import { type EmbeddedSqs, startSqs } from "@babelqueue/sqs/testing";

interface Order {
  order_id: number;
}

// a client whose queue is this array
const queue: Message[] = [];
const client = new SQSClient({ region: "us-east-1" });
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
function received(message: Message): Message {
  return { ...message, MessageId: "m-1", ReceiptHandle: "r-1" };
}

const handled: number[] = [];
const router = new UrnRouter<Message>().on<Order>("urn:babel:orders:created", (envelope) => {
  handled.push(envelope.data.order_id);
});
const url = "http://127.0.0.1/000000000000/orders";
const id: string = await new SqsPublisher(client, url).publish("urn:babel:orders:created", {
  order_id: 1042,
} satisfies Order);
const consumer = new SqsConsumer(client, url, router);
const count: number = await consumer.poll();
await consumer.stop();

// the testing kits, of which one is told to install what it needs
const memory = new MemoryTransport();
await memory.publisher("orders").publish("urn:babel:orders:created", { order_id: 1 });
const cases: readonly TransportCase[] = transportCases(() =>
  Promise.reject(new Error("no broker")),
);
const embedded: EmbeddedSqs | string = await startSqs().catch((error: Error) => error.message);
if (
  memory.messages("orders")[0]?.envelope?.data["order_id"] !== 1 ||
  cases.length === 0 ||
  typeof embedded !== "string" ||
  !embedded.includes("npm install --save-dev fauxqs")
) {
  throw new Error("The testing kits don't work");
}

const envelope: Envelope<Order> = createEnvelope("urn:babel:orders:created", { order_id: 1 });
const decoded: Envelope = decodeEnvelope(encodeEnvelope(envelope));
const attributes = Object.keys(toMessageAttributes(decoded)).length;

// an error of one copy of core is known to the other
const other = createRequire(import.meta.url)(
  "@babelqueue/core",
) as typeof import("@babelqueue/core");
let known = false;
try {
  other.decodeEnvelope("[]");
} catch (error) {
  known = error instanceof BabelQueueError && error.code.length > 0;
}
console.log([id.length, count, handled, attributes, known, typeof otel].join(" "));
