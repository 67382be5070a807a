import { expect, test } from "vitest";
import type { Envelope } from "../index.js";
import { type MemoryConsumerOptions, MemoryTransport } from "./index.js";

const URN = "urn:babel:orders:created";

const quiet: MemoryConsumerOptions = { onError: () => undefined };

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
  expect(letters[1]?.body).toMatch(/^\{"raw":"poison","dead_letter":\{"reason":"poison",/);
  expect(letters[1]?.headers).toEqual({
    "bq-dead-letter-reason": "poison",
    "bq-original-queue": "a.fifo",
    "bq-original-group": "a.fifo",
  });
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

test("refuses the delay of a single FIFO message", async () => {
  const publisher = new MemoryTransport().publisher("a.fifo");
  await expect(publisher.publish(URN, {}, { delaySeconds: 1 })).rejects.toThrow("delaySeconds");
});
