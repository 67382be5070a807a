// Publishes its share of the messages, each until it is confirmed, and writes down each call.
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { createEnvelope, type Envelope } from "@babelqueue/core";
import {
  type BatchMessage,
  SqsPublisher,
  SqsSendError,
  toMessageAttributes,
} from "@babelqueue/sqs";
import { createClient } from "./client.js";
import { sleep } from "./clock.js";
import { Gate } from "./gate.js";
import { Log } from "./log.js";
import { between, randomFor } from "./random.js";
import { UNKNOWN_URN, URN, type Work, workOf } from "./work.js";

export interface Job {
  /** This one's. */
  index: number;
  /** How many there are. */
  producers: number;
  seed: number;
  endpoint: string;
  log: string;
  standardUrl: string;
  fifoUrl: string;
  /** Messages of all producers together. */
  standard: number;
  fifo: number;
  groups: number;
}

/** Whether SQS took it. */
type Publish = (envelope: Envelope<Work>, group?: string) => Promise<boolean>;

const CALLERS = 60;
const job = JSON.parse(process.argv[2] ?? "{}") as Job;
const log = new Log(job.log);
const client = createClient(job.endpoint, job.index % 2 === 0 ? 3 : 1);
const gate = new Gate();
const random = randomFor(job.seed, 5, job.index);
let calls = 0;

process.on("message", ({ isOpen }: { isOpen: boolean }) => {
  if (isOpen) gate.open();
  else gate.close();
});
process.on("disconnect", () => process.exit());

/**
 * One attempt to have a message taken.
 *
 * @param group whose order it is part of
 * @returns whether SQS took it
 */
async function call(publish: Publish, envelope: Envelope<Work>, group?: string): Promise<boolean> {
  calls += 1;
  const name = calls;
  log.write("call", name, envelope.meta.id, group ?? "-");
  const isTaken = await publish(envelope, group);
  log.write(isTaken ? "confirmed" : "failed", name);
  return isTaken;
}

async function callUntilConfirmed(
  publish: Publish,
  envelope: Envelope<Work>,
  group?: string,
): Promise<void> {
  while (!(await call(publish, envelope, group))) await sleep(between(random, 20, 200));
}

function through(publisher: SqsPublisher): Publish {
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

/** What the publisher would refuse to send: a schema version that no consumer takes. */
function poison(QueueUrl: string): Publish {
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

function envelopeOf(queue: number, n: number): Envelope<Work> {
  const work = workOf(job.seed, queue, n);
  const urn = work.kind === "unknown" ? UNKNOWN_URN : URN;
  return createEnvelope(urn, work, { queue: "soak" });
}

/** This producer's share of the numbers below `total`. */
function* shareOf(total: number): Generator<number> {
  for (let n = job.index; n < total; n += job.producers) yield n;
}

async function produceStandard(): Promise<void> {
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

async function produceBatches(publisher: SqsPublisher, numbers: Iterable<number>): Promise<void> {
  let batch: BatchMessage[] = [];
  for (const n of numbers) {
    batch.push({ urn: URN, data: { ...workOf(job.seed, 0, n), kind: "plain" } });
    while (batch.length >= 25) batch = await publishBatch(publisher, batch);
  }
  while (batch.length > 0) batch = await publishBatch(publisher, batch);
}

/** @returns what is to be published again */
async function publishBatch(
  publisher: SqsPublisher,
  batch: BatchMessage[],
): Promise<BatchMessage[]> {
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
 */
async function produceGroup(
  publisher: SqsPublisher,
  group: string,
  numbers: readonly number[],
  inBursts: boolean,
): Promise<void> {
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

async function produceFifo(): Promise<void> {
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
