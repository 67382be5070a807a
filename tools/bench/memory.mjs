// The heap while many messages pass through publisher and consumer, on a client that costs nothing.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEnvelope, encodeEnvelope } from "@babelqueue/core";
import { SqsConsumer, SqsPublisher } from "@babelqueue/sqs";
import { order, URN } from "./systems.mjs";

const WARM_UP = 50_000;

/** @param {number} messages */
export async function measureMemory(messages) {
  setFlagsFromString("--expose-gc");
  /** @type {() => void} */
  const collect = runInNewContext("gc");
  /** @type {number[]} */
  const samples = [];
  let handled = 0;
  let published = 0;
  /** @type {any} */
  const client = {
    /** @param {{ constructor: { name: string }, input: any }} command */
    async send({ constructor: { name }, input }) {
      await new Promise((resolve) => setImmediate(resolve));
      if (name === "ReceiveMessageCommand") return receive(input.MaxNumberOfMessages);
      return { Successful: input.Entries?.map(({ Id = "" }) => ({ Id, MessageId: Id })) };
    },
  };
  const url = "https://sqs.eu-central-1.amazonaws.com/123456789012/bench";
  const publisher = new SqsPublisher(client, url);
  const consumer = new SqsConsumer(
    client,
    url,
    {
      [URN]: async () => {
        handled += 1;
        if (handled === messages) void consumer.stop();
        await publisher.publish(URN, order(handled));
        published += 1;
        if (published % WARM_UP === 0) {
          collect();
          samples.push(process.memoryUsage().heapUsed / 2 ** 20);
        }
      },
    },
    { concurrency: 100 },
  );
  await consumer.run();
  const [first = 0, ...later] = samples.map((mb) => Math.round(mb * 10) / 10);
  return {
    messages,
    warmUp: WARM_UP,
    afterWarmUpMB: first,
    highestMB: Math.max(...later),
    endMB: later.at(-1) ?? first,
  };
}

let received = 0;
/** @param {number} count */
function receive(count) {
  return {
    Messages: Array.from({ length: count }, () => {
      received += 1;
      return {
        MessageId: String(received),
        ReceiptHandle: String(received),
        Body: encodeEnvelope(createEnvelope(URN, order(received))),
      };
    }),
  };
}
