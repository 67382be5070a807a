// Publishes its share of the messages, each until it is confirmed, and writes down each call.
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { createEnvelope } from "@babelqueue/core";
import { SqsPublisher, SqsSendError, toMessageAttributes } from "@babelqueue/sqs";
import { createClient } from "./client.mjs";
import { sleep } from "./clock.mjs";
import { Gate } from "./gate.mjs";
import { Log } from "./log.mjs";
import { between, randomFor } from "./random.mjs";
import { UNKNOWN_URN, URN, workOf } from "./work.mjs";

/**
 * @typedef {object} Job
 * @property {number} index this one's
 * @property {number} producers how many there are
 * @property {number} seed
 * @property {string} endpoint
 * @property {string} log
 * @property {string} standardUrl
 * @property {string} fifoUrl
 * @property {number} standard messages of all producers together
 * @property {number} fifo
 * @property {number} groups
 *
 * @typedef {import("@babelqueue/core").Envelope<import("./work.mjs").Work>} Envelope
 * @typedef {(envelope: Envelope, group?: string) => Promise<boolean>} Publish whether SQS took it
 */

const CALLERS = 60;
const job = /** @type {Job} */ (JSON.parse(process.argv[2] ?? "{}"));
const log = new Log(job.log);
const client = createClient(job.endpoint, job.index % 2 === 0 ? 3 : 1);
const gate = new Gate();
const random = randomFor(job.seed, 5, job.index);
let calls = 0;

process.on("message", (/** @type {{ isOpen: boolean }} */ { isOpen }) => {
  if (isOpen) gate.open();
  else gate.close();
});
process.on("disconnect", () => process.exit());

/**
 * One attempt to have a message taken.
 *
 * @param {Publish} publish
 * @param {Envelope} envelope
 * @param {string} [group] whose order it is part of
 * @returns {Promise<boolean>} whether SQS took it
 */
async function call(publish, envelope, group) {
  calls += 1;
  const name = calls;
  log.write("call", name, envelope.meta.id, group ?? "-");
  const isTaken = await publish(envelope, group);
  log.write(isTaken ? "confirmed" : "failed", name);
  return isTaken;
}

/**
 * @param {Publish} publish
 * @param {Envelope} envelope
 * @param {string} [group]
 */
async function callUntilConfirmed(publish, envelope, group) {
  while (!(await call(publish, envelope, group))) await sleep(between(random, 20, 200));
}

/**
 * @param {SqsPublisher} publisher
 * @returns {Publish}
 */
function through(publisher) {
  return async (envelope, messageGroupId) => {
    try {
      const id = await publisher.publishEnvelope(envelope, { messageGroupId });
      return id === envelope.meta.id;
    } catch (error) {
      if (!(error instanceof SqsSendError)) throw error;
      return false;
    }
  };
}

/**
 * What the publisher would refuse to send: a schema version that no consumer takes.
 *
 * @param {string} QueueUrl
 * @returns {Publish}
 */
function poison(QueueUrl) {
  return async (envelope) => {
    const command = new SendMessageCommand({
      QueueUrl,
      MessageBody: JSON.stringify({ ...envelope, meta: { ...envelope.meta, schema_version: 2 } }),
      MessageAttributes: toMessageAttributes(envelope),
      ...(QueueUrl.endsWith(".fifo") && {
        MessageGroupId: `group-${envelope.data.n % job.groups}`,
        MessageDeduplicationId: envelope.meta.id,
      }),
    });
    try {
      await client.send(command);
    } catch {
      return false;
    }
    return true;
  };
}

/**
 * @param {number} queue
 * @param {number} n
 * @returns {Envelope}
 */
function envelopeOf(queue, n) {
  const work = workOf(job.seed, queue, n);
  const urn = work.kind === "unknown" ? UNKNOWN_URN : URN;
  return createEnvelope(urn, work, { queue: "soak" });
}

/** This producer's share of the numbers below `total`. @param {number} total */
function* shareOf(total) {
  for (let n = job.index; n < total; n += job.producers) yield n;
}

async function produceStandard() {
  const publisher = new SqsPublisher(client, job.standardUrl);
  const numbers = shareOf(job.standard);
  const caller = async () => {
    for (const n of numbers) {
      await gate.passed();
      const envelope = envelopeOf(0, n);
      const isGated = envelope.data.kind === "poison";
      await callUntilConfirmed(isGated ? poison(job.standardUrl) : through(publisher), envelope);
    }
  };
  await Promise.all([
    ...Array.from({ length: CALLERS }, caller),
    produceBatches(publisher, numbers),
  ]);
}

/**
 * @param {SqsPublisher} publisher
 * @param {Iterable<number>} numbers
 */
async function produceBatches(publisher, numbers) {
  /** @type {import("@babelqueue/sqs").BatchMessage[]} */
  let batch = [];
  for (const n of numbers) {
    batch.push({ urn: URN, data: { ...workOf(job.seed, 0, n), kind: "plain" } });
    while (batch.length >= 25) batch = await publishBatch(publisher, batch);
  }
  while (batch.length > 0) batch = await publishBatch(publisher, batch);
}

/**
 * @param {SqsPublisher} publisher
 * @param {import("@babelqueue/sqs").BatchMessage[]} batch
 * @returns what is to be published again
 */
async function publishBatch(publisher, batch) {
  await gate.passed();
  const { results } = await publisher.publishBatch(batch);
  calls += 1;
  for (const result of results) {
    if (result.ok) log.write("published", calls, result.id);
    else if (!(result.error instanceof SqsSendError)) throw result.error;
  }
  return batch.filter((_, index) => results[index]?.ok !== true);
}

/**
 * One message after another, or bursts of calls in one tick; what failed of a burst is called again
 * before the next.
 *
 * @param {SqsPublisher} publisher
 * @param {string} group
 * @param {readonly number[]} numbers
 * @param {boolean} inBursts
 */
async function produceGroup(publisher, group, numbers, inBursts) {
  const publish = through(publisher);
  for (let start = 0; start < numbers.length; ) {
    await gate.passed();
    const length = inBursts ? between(random, 2, 12) : 1;
    const all = numbers.slice(start, start + length).map((n) => envelopeOf(1, n));
    start += length;
    const envelopes = all.filter(({ data }) => data.kind !== "poison");
    const taken = await Promise.all(envelopes.map((one) => call(publish, one, group)));
    for (const [index, envelope] of envelopes.entries()) {
      if (taken[index] !== true) await callUntilConfirmed(publish, envelope, group);
    }
    for (const envelope of all) {
      if (envelope.data.kind === "poison") await callUntilConfirmed(poison(job.fifoUrl), envelope);
    }
  }
}

async function produceFifo() {
  const publisher = new SqsPublisher(client, job.fifoUrl);
  const groups = [...shareOf(job.groups)];
  const numbers = [...shareOf(job.fifo)];
  await Promise.all(
    groups.map((group, index) =>
      produceGroup(
        publisher,
        `group-${group}`,
        numbers.filter((_, position) => position % groups.length === index),
        index % 2 === 1,
      ),
    ),
  );
}

await Promise.all([produceStandard(), produceFifo()]);
client.destroy();
process.disconnect();
