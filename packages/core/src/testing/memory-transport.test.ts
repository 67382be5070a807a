import { expect, test } from "vitest";
import {
  defineMessage,
  type Envelope,
  InvalidArgumentError,
  UnknownUrnStrategy,
} from "../index.js";
import * as testing from "./index.js";
import { ManualClock, type MemoryConsumerOptions, MemoryTransport } from "./index.js";

const URN = "urn:babel:orders:created";

const quiet: MemoryConsumerOptions = { onError: () => undefined };

/** A handler that fails until the attempts are `times`, and what it saw. */
function failing(times: number): {
  seen: number[];
  handlers: Record<string, (e: Envelope) => void>;
} {
  const seen: number[] = [];
  const handle = ({ attempts }: Envelope): void => {
    seen.push(attempts);
    if (attempts < times) throw new Error("not yet");
  };
  return { seen, handlers: { [URN]: handle } };
}

test("exports these, and nothing else", () => {
  expect(Object.keys(testing).sort()).toEqual(["ManualClock", "MemoryTransport", "transportCases"]);
});

test("the message is encoded text, with its envelope and headers to look at", async () => {
  const memory = new MemoryTransport();
  const publisher = memory.publisher("orders");
  const id = await publisher.publish(URN, { n: 1n }, { traceId: "t", headers: { tenant: "acme" } });
  await publisher.flush();
  const [message, ...others] = memory.messages("orders");
  expect(others).toEqual([]);
  expect(message?.body).toBe(
    `{"job":"${URN}","trace_id":"t","data":{"n":1},"meta":{"id":"${id}","queue":"orders",` +
      `"lang":"node","schema_version":1,"created_at":${message?.envelope?.meta.created_at}},` +
      '"attempts":0}',
  );
  expect(message).toMatchObject({
    headers: { "bq-schema-version": "1", tenant: "acme" },
    envelope: { job: URN, data: { n: 1 } },
    receiveCount: 0,
    isInFlight: false,
    visibleInSeconds: 0,
  });
  memory.sendRaw("orders", "poison");
  expect(memory.messages("orders")[1]?.envelope).toBeNull();
});

test("retries come when their delay is over, without any waiting", async () => {
  const memory = new MemoryTransport();
  const { seen, handlers } = failing(2);
  const consumer = memory.consumer("orders", handlers, {
    ...quiet,
    releaseDelaySeconds: (attempts) => 10 * (attempts + 1),
  });
  await memory.publisher("orders").publish(URN, {});
  expect(await consumer.poll()).toBe(1);
  expect(memory.messages("orders")[0]).toMatchObject({ visibleInSeconds: 10, isInFlight: false });
  memory.clock.advance(9.9);
  expect(await consumer.poll()).toBe(0);
  memory.clock.advance(0.1);
  expect(await consumer.poll()).toBe(1);
  memory.clock.advance(20);
  expect(await consumer.poll()).toBe(1);
  expect(seen).toEqual([0, 1, 2]);
  expect(memory.messages("orders")).toEqual([]);
});

test("a handler that outlasts the visibility timeout loses its hold, and the message comes back", async () => {
  const memory = new MemoryTransport({ visibilityTimeoutSeconds: 30 });
  const aborted: boolean[] = [];
  const other = memory.consumer("orders", { [URN]: () => undefined });
  const consumer = memory.consumer("orders", {
    [URN]: async (_envelope, _message, { signal }) => {
      memory.clock.advance(29);
      aborted.push(signal.aborted);
      expect(await other.poll()).toBe(0);
      memory.clock.advance(1);
      aborted.push(signal.aborted);
      expect(String(signal.reason)).toContain("visibility timeout");
      memory.sendRaw("orders", "another");
    },
  });
  await memory.publisher("orders").publish(URN, {});
  await consumer.poll();
  expect(aborted).toEqual([false, true]);
  // nobody received it meanwhile, so the late acknowledgement still counts
  expect(memory.messages("orders").map(({ body }) => body)).toEqual(["another"]);
});

test("what is settled late changes nothing once somebody else has the message", async () => {
  const memory = new MemoryTransport();
  const seen: number[] = [];
  let resolve: (() => void) | undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const second = memory.consumer("orders", { [URN]: () => promise });
  const first = memory.consumer(
    "orders",
    {
      [URN]: ({ attempts }) => {
        seen.push(attempts);
        memory.clock.advance(30);
        void second.poll();
        if (attempts === 0) throw new Error("too late");
      },
    },
    quiet,
  );
  await memory.publisher("orders").publish(URN, {});
  await first.poll();
  expect(memory.messages("orders")[0]).toMatchObject({ receiveCount: 2, isInFlight: true });
  resolve?.();
  await second.stop();
  expect(memory.messages("orders")).toEqual([]);
  expect(seen).toEqual([0]);
});

test("maxReceiveCount moves a message that keeps failing to the dead-letter queue", async () => {
  const memory = new MemoryTransport({ maxReceiveCount: 3 });
  const { seen, handlers } = failing(99);
  const consumer = memory.consumer("orders", handlers, quiet);
  await memory.publisher("orders").publish(URN, {}, { headers: { tenant: "acme" } });
  const [sent] = memory.messages("orders");
  for (let polls = 0; polls < 5; polls += 1) await consumer.poll();
  expect(seen).toEqual([0, 1, 2]);
  expect(memory.messages("orders")).toEqual([]);
  const [letter] = memory.deadLetters("orders");
  expect(letter).toMatchObject({ body: sent?.body, headers: { tenant: "acme" } });

  // a dead-letter queue is a queue like any other, but for its own redrive
  const reader = memory.consumer("orders-dlq", handlers, quiet);
  for (let polls = 0; polls < 5; polls += 1) await reader.poll();
  expect(memory.deadLetters("orders")).toHaveLength(1);
});

test("FIFO: the dead-letter queue is FIFO too, and a group is free again after its redrive", async () => {
  const memory = new MemoryTransport({ maxReceiveCount: 1 });
  const seen: unknown[] = [];
  const consumer = memory.consumer(
    "a.fifo",
    {
      [URN]: ({ data }: Envelope<{ n: number }>) => {
        seen.push(data.n);
        if (data.n === 1) throw new Error("never");
      },
    },
    { ...quiet, deadLetters: true, maxMessages: 1 },
  );
  const publisher = memory.publisher("a.fifo");
  await publisher.publish(URN, { n: 1 });
  memory.sendRaw("a.fifo", "poison");
  await publisher.publish(URN, { n: 2 });
  for (let polls = 0; polls < 4; polls += 1) await consumer.poll();
  expect(seen).toEqual([1, 2]);
  const letters = memory.deadLetters("a.fifo");
  expect(letters.map(({ messageGroupId }) => messageGroupId)).toEqual(["a.fifo", "a.fifo"]);
  expect(letters[1]?.body).toBe("poison");
});

test("FIFO: a duplicate is taken once in five minutes", async () => {
  const memory = new MemoryTransport();
  const publisher = memory.publisher("a.fifo");
  const send = (): Promise<string> => publisher.publish(URN, {}, { deduplicationId: "d" });
  await send();
  await send();
  expect(memory.messages("a.fifo")).toHaveLength(1);
  memory.clock.advance(300);
  await send();
  expect(memory.messages("a.fifo")).toHaveLength(2);
  // a standard queue knows no such thing
  for (const _ of [1, 2]) await memory.publisher("a").publish(URN, {}, { deduplicationId: "d" });
  expect(memory.messages("a")).toHaveLength(2);
});

test("FIFO: those whose turn comes too late are left, and those behind a stop are released", async () => {
  const memory = new MemoryTransport({ visibilityTimeoutSeconds: 30 });
  const seen: unknown[] = [];
  const publisher = memory.publisher("a.fifo");
  await publisher.publish(URN, { n: 1 });
  await publisher.publish(URN, { n: 2 });
  const slow = memory.consumer("a.fifo", {
    [URN]: ({ data }: Envelope<{ n: number }>) => {
      seen.push(data.n);
      memory.clock.advance(30);
    },
  });
  await slow.poll();
  expect(seen).toEqual([1]);
  expect(memory.messages("a.fifo")).toMatchObject([{ receiveCount: 1, visibleInSeconds: 0 }]);

  await publisher.publish(URN, { n: 3 });
  let stopped: Promise<void> | undefined;
  const stopping = memory.consumer("a.fifo", {
    [URN]: ({ data }: Envelope<{ n: number }>) => {
      seen.push(data.n);
      stopped = stopping.stop();
    },
  });
  const poll = stopping.poll();
  await poll;
  await stopped;
  expect(seen).toEqual([1, 2]);
  expect(memory.messages("a.fifo")).toMatchObject([{ isInFlight: false, visibleInSeconds: 0 }]);
  expect(await stopping.poll(AbortSignal.abort())).toBe(0);
  await stopping.poll();
  expect(seen).toEqual([1, 2, 3]);
});

test("publishes a batch, through the middleware, and tells of each what became of it", async () => {
  const memory = new MemoryTransport();
  const sizes: number[] = [];
  const publisher = memory.publisher("orders", {
    middleware: [
      (next) => (batch) => {
        sizes.push(batch.length);
        return next(batch.map((outbound) => ({ ...outbound, headers: { by: "middleware" } })));
      },
    ],
  });
  const { results } = await publisher.publishBatch([
    { urn: URN, data: { n: 1 } },
    { urn: " ", data: {} },
    { urn: URN, data: { n: Number.NaN } },
    { urn: URN, data: { n: 2 }, delaySeconds: 5 },
  ]);
  expect(results.map(({ ok }) => ok)).toEqual([true, false, false, true]);
  expect(sizes).toEqual([3]);
  expect(memory.messages("orders")).toMatchObject([
    { headers: { by: "middleware" }, visibleInSeconds: 0 },
    { headers: { by: "middleware" }, visibleInSeconds: 5 },
  ]);
});

test("a middleware that throws, or gives no result, fails what it was given", async () => {
  const memory = new MemoryTransport();
  const throwing = memory.publisher("orders", {
    middleware: [
      () => async () => {
        throw new Error("no");
      },
    ],
  });
  await expect(throwing.publish(URN, {})).rejects.toThrow("no");
  const silent = memory.publisher("orders", { middleware: [() => async () => []] });
  await expect(silent.publish(URN, {})).rejects.toThrow(InvalidArgumentError);
  expect(memory.messages("orders")).toEqual([]);
});

test("publishes an envelope as it is, and messages of a defined kind", async () => {
  const memory = new MemoryTransport();
  const publisher = memory.publisher("orders");
  await publisher.publish(URN, {});
  const [message] = memory.messages("orders");
  const envelope = message?.envelope;
  if (!envelope) throw new Error("It has an envelope");
  expect(await publisher.publishEnvelope(envelope)).toBe(envelope.meta.id);
  expect(memory.messages("orders")[1]?.body).toBe(message.body);

  const Order = defineMessage({
    urn: URN,
    schema: {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) =>
          typeof (value as { n?: unknown }).n === "number"
            ? { value: value as { n: number } }
            : { issues: [{ message: "no number", path: ["n"] }] },
        types: undefined as { input: { n: number }; output: { n: number } } | undefined,
      },
    },
  });
  await publisher.publish(Order, { n: 1 });
  await expect(publisher.publish(Order, { n: "1" } as never)).rejects.toThrow("/data");
  const { results } = await publisher.publishBatch([{ urn: Order, data: { n: 2 } }]);
  expect(results).toMatchObject([{ ok: true }]);
  expect(memory.messages("orders").map((each) => each.envelope?.data)).toEqual([
    ...[{}, {}],
    ...[{ n: 1 }, { n: 2 }],
  ]);
});

test("a consumer takes a record or a router, and the contract's headers are none of the user's", async () => {
  const memory = new MemoryTransport();
  memory.sendRaw("orders", `{"job":"${URN}","data":{}}`, { "bq-job": URN, " ": "x", tenant: " " });
  const seen: unknown[] = [];
  await memory.publisher("orders").publish(URN, {}, { headers: { "bq-job": "mine", blank: "" } });
  const consumer = memory.consumer(
    "orders",
    { [URN]: (_envelope, message, { headers }) => seen.push(message.receiveCount, headers) },
    { ...quiet, unknownUrnStrategy: UnknownUrnStrategy.FAIL },
  );
  expect(await consumer.poll()).toBe(2);
  expect(seen).toEqual([1, {}]);
});

test("two transports can share a clock, and listeners of it can leave", () => {
  const clock = new ManualClock(1000);
  const one = new MemoryTransport({ clock });
  const two = new MemoryTransport({ clock });
  expect(one.clock).toBe(two.clock);
  let told = 0;
  const leave = clock.onAdvance(() => {
    told += 1;
  });
  clock.advance(1.5);
  leave();
  clock.advance(1);
  expect(clock.now()).toBe(3500);
  expect(told).toBe(1);
});

test.each([
  ["time that goes back", () => new ManualClock().advance(-1)],
  ["no time at all", () => new ManualClock().advance(Number.NaN)],
  ["no visibility timeout", () => new MemoryTransport({ visibilityTimeoutSeconds: 0 })],
  ["a maxReceiveCount of 0", () => new MemoryTransport({ maxReceiveCount: 0 })],
  ["maxMessages of 0", () => new MemoryTransport().consumer("a", {}, { maxMessages: 0 })],
  [
    "a timeout of a consumer that is none",
    () => new MemoryTransport().consumer("a", {}, { visibilityTimeoutSeconds: Number.NaN }),
  ],
])("refuses %s", (_, action) => {
  expect(action).toThrow(InvalidArgumentError);
});

test("refuses the delay of a single FIFO message", async () => {
  const publisher = new MemoryTransport().publisher("a.fifo");
  await expect(publisher.publish(URN, {}, { delaySeconds: 1 })).rejects.toThrow("delaySeconds");
});
