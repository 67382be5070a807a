import { expect, test } from "vitest";
import { type Envelope, InvalidArgumentError, UnknownUrnStrategy } from "../index.js";
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
