import { describe, expect, test } from "vitest";
import { after, pass, useFakeClock } from "../fake-clock.fixture.js";
import type { SqsConsumerOptions } from "../index.js";
import { CHANGES, DELETES, numbers, OURS, Stage, THEIRS } from "../stage.fixture.js";

useFakeClock();

/** One message whose visibility lapses while its handler runs, so that it is delivered again. */
async function redelivered(
  name: string,
  options: SqsConsumerOptions = {},
): Promise<Stage & { end: () => Promise<void> }> {
  const stage = new Stage(name, { VisibilityTimeout: 5 });
  await stage.seed([1], name.endsWith(".fifo") ? () => "g" : undefined);
  const consumer = stage.consumer(options);
  const run = consumer.run();
  await pass(5100);
  const end = async (): Promise<void> => {
    const stopped = consumer.stop();
    await pass(32_000);
    await Promise.all([run, stopped]);
  };
  return Object.assign(stage, { end });
}

function handlesOf(
  stage: Stage,
  ...operations: readonly ("DeleteMessage" | "ChangeMessageVisibility")[]
): unknown[] {
  return stage.requests(...operations).map(({ input }) => input.ReceiptHandle);
}

describe("a message that is delivered again while its handler runs", () => {
  test.each(["orders", "orders.fifo"])(
    "is deleted by its newest handle, once (%s)",
    async (name) => {
      const stage = await redelivered(name);
      const { calls } = stage;
      expect(stage.fake.messages(stage.url)[0]?.receiveCount).toBe(2);
      calls[0]?.succeed();
      await pass(60);
      expect(stage.left()).toEqual([]);
      expect(stage.errors).toEqual([]);
      const handles = handlesOf(stage, "DeleteMessage");
      expect(handles).not.toContain(calls[0]?.message.ReceiptHandle);
      expect(new Set(handles).size).toBe(1);
      for (const call of calls) call.succeed();
      await stage.end();
      expect(stage.errors).toEqual([]);
    },
  );

  test("FIFO: it waits for the running handler, and is then only deleted", async () => {
    const stage = await redelivered("orders.fifo");
    expect(stage.started).toEqual([1]);
    stage.call(1).succeed();
    await pass();
    await stage.end();
    expect(stage.started).toEqual([1]);
    expect(stage.left()).toEqual([]);
    expect([...stage.errors, ...stage.warnings]).toEqual([]);
  });

  test("a failure of the older delivery releases nothing", async () => {
    const stage = await redelivered("orders", { releaseDelaySeconds: 1 });
    expect(stage.started).toEqual([1, 1]);
    stage.calls[0]?.fail();
    await pass(100);
    expect(stage.requests(...CHANGES)).toEqual([]);
    stage.calls[1]?.succeed();
    await stage.end();
    expect(stage.left()).toEqual([]);
  });

  test.each([
    ["after", [0, 1]],
    ["before", [1, 0]],
  ])(
    "a failure of the newer one %s the older one succeeds brings nothing back",
    async (_, order) => {
      const stage = await redelivered("orders");
      for (const index of order) {
        if (index === 0) stage.calls[0]?.succeed();
        else stage.calls[1]?.fail();
      }
      await stage.end();
      expect(stage.left()).toEqual([]);
      expect(stage.requests(...CHANGES)).toEqual([]);
      expect(stage.calls).toHaveLength(2);
      expect(stage.errors.map((error) => (error as Error).message)).toEqual(["1 failed"]);
    },
  );
});

describe("a finished message that is delivered again before its delete went through", () => {
  test.each(["orders", "orders.fifo"])(
    "is only deleted, by its newest handle (%s)",
    async (name) => {
      const stage = new Stage(name, { VisibilityTimeout: 5 });
      await stage.seed([1], name.endsWith(".fifo") ? () => "g" : undefined);
      const consumer = stage.consumer({ settleLingerMs: 10_000 });
      const run = consumer.run();
      await pass();
      const oldHandle = stage.call(1).message.ReceiptHandle;
      stage.call(1).succeed();
      await pass(5100);
      expect(stage.fake.messages(stage.url)[0]?.receiveCount).toBe(2);
      const stopped = consumer.stop();
      await pass(2000);
      await Promise.all([run, stopped]);
      expect(stage.started).toEqual([1]);
      expect(stage.left()).toEqual([]);
      // one entry, although two deliveries wanted it
      expect(stage.sizes(...DELETES)).toEqual([1]);
      expect(handlesOf(stage, "DeleteMessage")).not.toContain(oldHandle);
      expect(consumer.stats()).toMatchObject({ received: 2, handled: 1, inFlight: 0 });
    },
  );

  test("entries of one request are distinct by handle among others", async () => {
    const stage = new Stage("orders", { VisibilityTimeout: 5 });
    await stage.seed(numbers(4));
    const consumer = stage.consumer({ settleLingerMs: 8000 });
    void consumer.run();
    await pass();
    for (const call of stage.calls) call.succeed();
    await pass(5100); // all four again
    await pass(3000);
    const [request] = stage.requests("DeleteMessageBatch");
    const handles = request?.input.Entries?.map((entry) => entry.ReceiptHandle) ?? [];
    expect(handles).toHaveLength(4);
    expect(new Set(handles).size).toBe(4);
    expect(stage.left()).toEqual([]);
    expect(stage.started).toHaveLength(4);
    expect(stage.errors).toEqual([]);
  });

  test("also while an extension under way holds the delete up", async () => {
    const stage = new Stage("orders", { VisibilityTimeout: 2 });
    await stage.seed([1]);
    const dispose = stage.fake.onAnswer(async ({ operation }) => {
      if (operation === "ReceiveMessage") await after(800);
    });
    const release = stage.hold("ChangeMessageVisibility");
    const consumer = stage.consumer({ heartbeat: true, visibilityTimeoutSeconds: 2 });
    const run = consumer.run();
    await pass(900);
    dispose();
    await pass(1000); // the extension is under way, and not answered
    stage.call(1).succeed();
    await pass(400); // the timeout lapses, and the message is delivered again
    expect(consumer.stats()).toMatchObject({ received: 2, handled: 0 });
    release();
    const stopped = consumer.stop();
    await pass(2000);
    await Promise.all([run, stopped]);
    expect(stage.started).toEqual([1]);
    expect(stage.left()).toEqual([]);
  });

  test("nor while a delete is under way with the older handle", async () => {
    const stage = new Stage("orders", { VisibilityTimeout: 5 });
    await stage.seed([1]);
    let isFirst = true;
    stage.fake.onRequest(async ({ operation }) => {
      if (operation !== "DeleteMessage" || !isFirst) return;
      isFirst = false;
      await new Promise((resolve) => {
        setTimeout(resolve, 6000);
      });
    });
    const consumer = stage.consumer();
    void consumer.run();
    await pass();
    stage.call(1).succeed();
    await pass(12_000);
    expect(stage.started).toEqual([1]);
    expect(stage.left()).toEqual([]);
  });
});

test("a finished message is not handled again because a sibling's delete failed", async () => {
  const stage = new Stage("orders", { VisibilityTimeout: 5 });
  await stage.seed(numbers(5));
  const first = { handle: "" };
  stage.fake.failEntries((operation, entry, index) => {
    if (operation !== "DeleteMessageBatch" || !("ReceiptHandle" in entry)) return undefined;
    if (index === 2) first.handle ||= entry.ReceiptHandle ?? "";
    return entry.ReceiptHandle === first.handle ? OURS : undefined;
  });
  const consumer = stage.consumer();
  void consumer.run();
  await pass();
  for (const call of stage.calls) call.succeed();
  await pass(6000);
  expect(stage.started).toEqual([0, 1, 2, 3, 4, 2]);
  expect(consumer.stats()).toMatchObject({ received: 6, failedDeletes: 1 });
});

test("a delete that is tried again uses the handle that is newest then", async () => {
  const stage = new Stage("orders", { VisibilityTimeout: 1 });
  await stage.seed([1, 2]);
  let faults = 2;
  stage.fake.failEntries((operation) =>
    operation === "DeleteMessageBatch" && faults-- > 0 ? THEIRS : undefined,
  );
  const consumer = stage.consumer({ settleLingerMs: 950 });
  void consumer.run();
  await pass();
  for (const call of stage.calls) call.succeed();
  await pass(3000);
  expect(stage.started).toEqual([1, 2]);
  expect(stage.left()).toEqual([]);
  expect(stage.errors).toEqual([]);
});

test("a release that is tried again does not touch the hold of a newer delivery", async () => {
  const stage = new Stage("orders", { VisibilityTimeout: 1 });
  await stage.seed([1, 2]);
  const first: (string | undefined)[] = [];
  stage.fake.failEntries((operation, entry) => {
    if (operation !== "ChangeMessageVisibilityBatch" || first.length === 2) return undefined;
    first.push("ReceiptHandle" in entry ? entry.ReceiptHandle : undefined);
    return THEIRS;
  });
  const consumer = stage.consumer({ settleLingerMs: 950 });
  void consumer.run();
  await pass();
  for (const call of stage.calls) call.fail();
  await pass(3000); // both are received again before their releases are tried again
  expect(stage.started.slice(0, 4)).toEqual([1, 2, 1, 2]);
  const released = stage
    .requests("ChangeMessageVisibilityBatch")
    .flatMap(({ input }) => input.Entries ?? [])
    .map(({ ReceiptHandle }) => ReceiptHandle);
  expect(new Set(released)).toEqual(new Set(first));
  expect(stage.requests("ChangeMessageVisibility")).toEqual([]);
});

test("nothing is remembered of a message that was deleted, or whose delete failed", async () => {
  const stage = new Stage("orders", { VisibilityTimeout: 5 });
  await stage.seed([1]);
  const dispose = stage.fake.onRequest(({ operation }) =>
    operation === "DeleteMessage" ? new Error("no network") : undefined,
  );
  const consumer = stage.consumer();
  void consumer.run();
  await pass();
  stage.call(1).succeed();
  await pass(6000); // it comes back, and its delete is known to have failed
  expect(stage.started).toEqual([1, 1]);
  dispose();
  stage.call(1).succeed();
  await pass(100);
  expect(stage.left()).toEqual([]);
});
