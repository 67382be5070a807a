// Our packages, behind what every language can do here.
import { createEnvelope, decodeEnvelope, encodeEnvelope } from "@babelqueue/core";
import { SqsConsumer, SqsPublisher } from "@babelqueue/sqs";

/** @typedef {import("./party.mjs").Handled & { message: import("@aws-sdk/client-sqs").Message }} OursHandled */

/** The name of our side, as in `meta.lang`. */
export const OURS = "node";

/**
 * An envelope of ours around a payload that is given as JSON text.
 *
 * @param {import("./party.mjs").Produced} message
 * @param {string} queue
 */
function envelopeOf({ urn, data, traceId }, queue) {
  const text = `{"job":"urn:x","trace_id":"x","data":${data},"meta":{"schema_version":1},"attempts":0}`;
  const options = { queue, ...(traceId !== null && { traceId }) };
  return createEnvelope(urn, decodeEnvelope(text).data, options);
}

/**
 * Publishes, and gives the envelope as sent.
 *
 * @param {import("./queues.mjs").Queues} queues
 * @param {import("./party.mjs").Address} to
 * @param {import("./party.mjs").Produced} message
 */
export async function publish(queues, to, message) {
  const envelope = envelopeOf(message, to.queue);
  const publisher = new SqsPublisher(queues.client, to.queueUrl);
  await publisher.publishEnvelope(envelope, { headers: message.headers });
  return envelope;
}

/**
 * @param {import("./queues.mjs").Queues} queues
 * @param {import("./party.mjs").Address} from
 * @param {import("./party.mjs").Consumption} task `echo` is not used
 */
export async function consume(queues, from, task) {
  /** @type {OursHandled[]} */
  const seen = [];
  /** @type {unknown[]} */
  const errors = [];
  /** @type {(urn: string) => import("@babelqueue/core").Handler<never, import("@aws-sdk/client-sqs").Message>} */
  const handler = (urn) => (envelope, message, context) => {
    seen.push({
      handler: urn,
      body: encodeEnvelope(envelope),
      headers: { ...context.headers },
      message,
    });
    if (seen.length <= task.failures) throw new Error("told to fail");
  };
  const consumer = new SqsConsumer(
    queues.client,
    from.queueUrl,
    Object.fromEntries(task.urns.map((urn) => [urn, handler(urn)])),
    {
      waitTimeSeconds: task.waitSeconds,
      onError: (error) => errors.push(error),
      ...(task.deadLetters !== null && { deadLetterQueueUrl: task.deadLetters.queueUrl }),
      ...(task.strategy !== null && { unknownUrnStrategy: task.strategy }),
    },
  );
  for (let received = 0; received < task.deliveries; ) {
    const batch = await consumer.poll();
    if (batch === 0) break;
    received += batch;
  }
  return { seen, errors };
}
