import {
  createEnvelope,
  decodeEnvelope,
  defineMessage,
  InvalidPayloadError,
  type MessageDefinition,
  PayloadRefusedError,
  type SendMiddleware,
  type StandardSchema,
  UrnRouter,
} from "@babelqueue/core";
import { FakeSqs } from "fake-sqs";
import { afterEach, expect, test, vi } from "vitest";
import { rejection, splicedCopy } from "../contract.fixture.js";
import { newGate } from "../fake-clock.fixture.js";
import { SqsConsumer, SqsPublisher, type SqsPublisherOptions } from "../index.js";

const NOW = 1_790_000_000_000;

afterEach(() => {
  vi.useRealTimers();
});

interface Step {
  n: number;
}
type Validate = StandardSchema<Step>["~standard"]["validate"];

function stepOf(urn: string, validate: Validate): MessageDefinition<StandardSchema<Step>> {
  return defineMessage({ urn, schema: { "~standard": { version: 1, vendor: "test", validate } } });
}

const check = (value: unknown): Awaited<ReturnType<Validate>> =>
  typeof (value as Partial<Step>).n === "number"
    ? { value: value as Step }
    : { issues: [{ message: "not a number", path: ["n"] }] };

const StepTaken = stepOf("urn:babel:steps:taken", check);
/** Its schema takes as long as the test says. */
function slowStep(): { SlowStep: typeof StepTaken; answer: () => void } {
  const { gate, open: answer } = newGate();
  const validate: Validate = async (value) => {
    await gate;
    return check(value);
  };
  return { SlowStep: stepOf("urn:babel:steps:slow", validate), answer };
}

function arrange(name: string, options: SqsPublisherOptions = {}) {
  const fake = new FakeSqs();
  const url = fake.createQueue(name);
  const publisher = new SqsPublisher(fake.client(), url, options);
  const bodies = () => fake.messages(url).map(({ body }) => decodeEnvelope(body));
  const sent = () => bodies().map(({ data }) => data["n"]);
  return { fake, url, publisher, bodies, sent };
}

const bad = { n: "one" } as unknown as Step;

test("what fits is sent as it was given, under the URN of its definition", async () => {
  const { publisher, bodies } = arrange("steps");
  const id = await publisher.publish(StepTaken, { n: 1 }, { traceId: "t" });
  expect(bodies()).toMatchObject([
    { job: StepTaken.urn, trace_id: "t", data: { n: 1 }, meta: { id, queue: "steps" } },
  ]);
});

test("what does not fit is refused before middleware and network; others of its batch are sent", async () => {
  const batches: number[] = [];
  const count: SendMiddleware = (next) => (batch) => {
    batches.push(batch.length);
    return next(batch);
  };
  const { publisher, sent } = arrange("steps", { middleware: [count] });
  const error = await rejection(publisher.publish(StepTaken, bad));
  expect(error).toBeInstanceOf(InvalidPayloadError);
  expect(error).toMatchObject({ issues: [{ pointer: "/data/n" }] });
  expect(batches).toEqual([]);

  const { SlowStep, answer } = slowStep();
  answer();
  const { results } = await publisher.publishBatch([
    { urn: StepTaken, data: bad },
    { urn: SlowStep, data: { n: 1 } },
    { urn: SlowStep, data: bad },
    { urn: "urn:babel:steps:other", data: { n: 2 } },
    { urn: " ", data: {} },
    null as never,
  ]);
  expect(results.map(({ ok }) => ok)).toEqual([false, true, false, true, false, false]);
  expect(results[2]).toMatchObject({ error: { code: "invalid_payload" } });
  expect(sent()).toEqual([1, 2]);
  expect(batches).toEqual([2]);
});

test("a batch of nothing is nothing", async () => {
  const { publisher } = arrange("steps");
  await expect(publisher.publishBatch([])).resolves.toEqual({ results: [] });
});

test("on a FIFO queue an asynchronous schema keeps its place before later publishes", async () => {
  const { publisher, sent } = arrange("steps.fifo");
  const slow = slowStep();
  const slower = slowStep();
  const published = [
    publisher.publish(slower.SlowStep, { n: 1 }),
    publisher.publish(slow.SlowStep, bad),
    publisher.publish(slow.SlowStep, { n: 2 }),
    publisher.publish("urn:babel:steps:other", { n: 3 }),
    publisher.publishEnvelope(createEnvelope(StepTaken, { n: 4 })),
    publisher.publishBatch([{ urn: StepTaken, data: { n: 5 } }]),
  ].map((each) => each.catch((error: unknown) => error));
  slow.answer();
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent()).toEqual([]);
  slower.answer();
  const [, refused] = await Promise.all(published);
  expect(refused).toBeInstanceOf(InvalidPayloadError);
  expect(sent()).toEqual([1, 2, 3, 4, 5]);
  await publisher.publish(StepTaken, { n: 6 });
  expect(sent()).toEqual([1, 2, 3, 4, 5, 6]);
});

test("on a standard queue nobody waits for another's schema", async () => {
  const { publisher, sent } = arrange("steps");
  const { SlowStep, answer } = slowStep();
  const slow = publisher.publish(SlowStep, { n: 1 });
  await publisher.publish(StepTaken, { n: 2 });
  expect(sent()).toEqual([2]);
  answer();
  await slow;
  expect(sent()).toEqual([2, 1]);
});

test("flush waits for schemas, and does not linger behind them", async () => {
  const { publisher, sent } = arrange("steps", { batching: { lingerMs: 60_000 } });
  const { SlowStep, answer } = slowStep();
  const published = publisher.publish(SlowStep, { n: 1 });
  const flushed = publisher.flush();
  answer();
  await flushed;
  expect(sent()).toEqual([1]);
  await published;
});

test("a payload that does not fit goes to the dead-letter queue, its bytes as they came", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  const { fake, url, publisher } = arrange("steps");
  const deadLetterQueueUrl = fake.createQueue("steps-dlq");
  await publisher.publish(StepTaken.urn, { n: "one" });
  await publisher.publish(StepTaken, { n: 1 });
  const received = fake.messages(url).map(({ body }) => body);
  const handled: Step[] = [];
  const reported: unknown[] = [];
  const router = new UrnRouter().on(StepTaken, ({ data }) => handled.push(data));
  const consumer = new SqsConsumer(fake.client(), url, router, {
    deadLetterQueueUrl,
    waitTimeSeconds: 0,
    onError: (error, envelope) => reported.push(error, envelope),
  });
  await consumer.poll();
  await consumer.stop();
  expect(handled).toEqual([{ n: 1 }]);
  expect(reported).toEqual([expect.any(PayloadRefusedError), null]);
  const [letter, ...others] = fake.messages(deadLetterQueueUrl);
  const block = { error: (reported[0] as Error).message, queue: "steps", failedAt: NOW };
  expect(letter?.body).toBe(splicedCopy(received[0] ?? "", block));
  expect(letter?.attributes).toMatchObject({
    "bq-dead-letter-reason": { StringValue: "poison" },
    "bq-original-queue": { StringValue: "steps" },
  });
  expect(others).toEqual([]);
  expect(fake.messages(url)).toEqual([]);
});
