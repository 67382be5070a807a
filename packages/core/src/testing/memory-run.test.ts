import { expect, test } from "vitest";
import { URN } from "../envelope/envelope.fixture.js";
import { MemoryTransport } from "./index.js";

test("run handles what comes, what is released and what is delayed, until it is stopped", async () => {
  const memory = new MemoryTransport();
  const publisher = memory.publisher("orders");
  const seen: unknown[] = [];
  const consumer = memory.consumer(
    "orders",
    {
      [URN]: ({ data, attempts }) => {
        seen.push(data["n"]);
        if (data["n"] === 2 && attempts === 0) throw new Error("not yet");
      },
    },
    { onError: () => undefined, releaseDelaySeconds: 5 },
  );
  await publisher.publish(URN, { n: 1 });
  const running = consumer.run();
  await publisher.publish(URN, { n: 2 });
  await publisher.publish(URN, { n: 3 }, { delaySeconds: 60 });
  await settled();
  expect(seen).toEqual([1, 2]);
  memory.clock.advance(5);
  await settled();
  expect(seen).toEqual([1, 2, 2]);
  memory.clock.advance(60);
  await settled();
  expect(seen).toEqual([1, 2, 2, 3]);
  expect(consumer.stats()).toEqual({
    received: 4,
    handled: 3,
    dropped: 0,
    released: 1,
    left: 0,
    deadLettered: 0,
    inFlight: 0,
  });
  await consumer.stop();
  await running;
  await publisher.publish(URN, { n: 4 });
  await settled();
  expect(seen).toHaveLength(4);
});

test("run ends when its signal aborts, and waits for the handler that runs", async () => {
  const memory = new MemoryTransport();
  let finish: (() => void) | undefined;
  const consumer = memory.consumer("orders", {
    [URN]: () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  });
  await memory.publisher("orders").publish(URN, {});
  const controller = new AbortController();
  const running = consumer.run(controller.signal);
  await settled();
  expect(consumer.stats()).toMatchObject({ received: 1, inFlight: 1 });
  controller.abort();
  finish?.();
  await running;
  expect(memory.messages("orders")).toEqual([]);
});

test("a run whose signal has aborted receives nothing", async () => {
  const memory = new MemoryTransport();
  await memory.publisher("orders").publish(URN, {});
  const consumer = memory.consumer("orders", { [URN]: () => undefined });
  await consumer.run(AbortSignal.abort());
  expect(consumer.stats().received).toBe(0);
});

/** Lets all that can go on without time go on. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
