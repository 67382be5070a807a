// What is compared: each system produces and consumes the same messages on the same client settings.
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from "@aws-sdk/client-sqs";
import { createEnvelope, decodeEnvelope, encodeEnvelope } from "@babelqueue/core";
import { SqsConsumer, SqsPublisher, toMessageAttributes } from "@babelqueue/sqs";
import { Consumer } from "sqs-consumer";
import { Producer } from "sqs-producer";

export const URN = "urn:babel:orders:created";

/** @param {number} n */
export function order(n) {
  return {
    order_id: n,
    customer: "c-42",
    currency: "EUR",
    total: 99.9,
    lines: [
      { sku: "apple", quantity: 3 },
      { sku: "pear", quantity: 1 },
    ],
  };
}

/**
 * @typedef {object} Task
 * @property {import("@aws-sdk/client-sqs").SQSClient} client
 * @property {string} queueUrl
 * @property {number} messages
 * @property {number} callers how many callers produce, or handlers run, at a time
 * @property {() => Promise<void>} handle
 */

/** @type {Record<string, { produce(task: Task): Promise<void>, consume(task: Task, done: Promise<void>): Promise<void> }>} */
export const systems = {
  babelqueue: {
    async produce({ client, queueUrl, messages, callers }) {
      const publisher = new SqsPublisher(client, queueUrl);
      await share(messages, callers, (n) => publisher.publish(URN, order(n)));
    },
    async consume({ client, queueUrl, callers, handle }, done) {
      const consumer = new SqsConsumer(
        client,
        queueUrl,
        { [URN]: handle },
        { concurrency: callers, waitTimeSeconds: 1, pollGraceMs: 0 },
      );
      const run = consumer.run();
      await done;
      await consumer.stop();
      await run;
    },
  },

  "AWS SDK by hand": {
    async produce({ client, queueUrl, messages, callers }) {
      await share(messages / 10, callers / 10, async (batch) => {
        const envelopes = Array.from({ length: 10 }, (_, n) =>
          createEnvelope(URN, order(batch * 10 + n), { queue: "bench" }),
        );
        await client.send(
          new SendMessageBatchCommand({
            QueueUrl: queueUrl,
            Entries: envelopes.map((envelope, index) => ({
              Id: String(index),
              MessageBody: encodeEnvelope(envelope),
              MessageAttributes: toMessageAttributes(envelope),
            })),
          }),
        );
      });
    },
    async consume({ client, queueUrl, callers, handle }, done) {
      const state = { isDone: false };
      void done.then(() => {
        state.isDone = true;
      });
      const loop = async () => {
        while (!state.isDone) {
          const { Messages = [] } = await client.send(
            new ReceiveMessageCommand({
              QueueUrl: queueUrl,
              MaxNumberOfMessages: 10,
              WaitTimeSeconds: 1,
              MessageAttributeNames: ["All"],
              MessageSystemAttributeNames: ["ApproximateReceiveCount"],
            }),
          );
          if (Messages.length === 0) continue;
          await Promise.all(
            Messages.map(async ({ Body = "" }) => {
              decodeEnvelope(Body);
              await handle();
            }),
          );
          await client.send(
            new DeleteMessageBatchCommand({
              QueueUrl: queueUrl,
              Entries: Messages.map(({ ReceiptHandle }, index) => ({
                Id: String(index),
                ReceiptHandle,
              })),
            }),
          );
        }
      };
      await Promise.all(Array.from({ length: Math.ceil(callers / 10) }, loop));
    },
  },

  "sqs-producer, sqs-consumer": {
    async produce({ client, queueUrl, messages, callers }) {
      const producer = Producer.create({ queueUrl, sqs: client });
      await share(messages, callers, async (n) => {
        const envelope = createEnvelope(URN, order(n), { queue: "bench" });
        await producer.send({
          id: envelope.meta.id,
          body: encodeEnvelope(envelope),
          messageAttributes: toMessageAttributes(envelope),
        });
      });
    },
    async consume({ client, queueUrl, handle }, done) {
      const consumer = Consumer.create({
        queueUrl,
        sqs: client,
        batchSize: 10,
        waitTimeSeconds: 1,
        messageAttributeNames: ["All"],
        handleMessage: async (message) => {
          decodeEnvelope(message.Body ?? "");
          await handle();
          return message;
        },
      });
      consumer.start();
      await done;
      consumer.stop({ abort: true });
    },
  },
};

/**
 * Callers that each take the next number and await what it comes to.
 *
 * @param {number} total
 * @param {number} callers
 * @param {(n: number) => Promise<unknown>} work
 */
async function share(total, callers, work) {
  let next = 0;
  const call = async () => {
    while (next < total) await work(next++);
  };
  await Promise.all(Array.from({ length: callers }, call));
}
