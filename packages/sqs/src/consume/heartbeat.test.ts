import { serviceUnavailable } from "fake-sqs";
import { describe, expect, test } from "vitest";
import { after, elapsed, pass, useFakeClock } from "../fake-clock.fixture.js";
import { SqsConsumer, type SqsConsumerOptions, VisibilityLostError } from "../index.js";
import { CHANGES, DELETES, numbers, OURS, Stage, THEIRS } from "../stage.fixture.js";

useFakeClock();

const HEARTBEAT = { heartbeat: true, visibilityTimeoutSeconds: 10 } as const;

/** A consumer with so many messages in hand, received just now. */
async function holding(
  count: number,
  options: SqsConsumerOptions = HEARTBEAT,
  name = "orders",
): Promise<Stage & { end: () => Promise<void>; consumer: SqsConsumer }> {
  const stage = new Stage(name, { VisibilityTimeout: options.visibilityTimeoutSeconds });
  await stage.seed(numbers(count), name.endsWith(".fifo") ? () => "g" : undefined);
  // no slot is free, so that a message is not received again
  const consumer = stage.consumer({ concurrency: count, ...options });
  const run = consumer.run();
  await pass(0);
  const end = async (): Promise<void> => {
    const stopped = consumer.stop();
    await pass(60_000);
    await Promise.all([stopped, run]);
  };
  return Object.assign(stage, { end, consumer: consumer });
}

test.each([{ heartbeat: true }, { heartbeat: true, visibilityTimeoutSeconds: 0 }])(
  "refused: %j",
  (options) => {
    const { client, url } = new Stage("orders");
    expect(() => new SqsConsumer(client, url, {}, options)).toThrow("visibilityTimeoutSeconds");
  },
);

test("off by default", async () => {
  const stage = await holding(1, { visibilityTimeoutSeconds: 10 });
  await pass(9000);
  expect(stage.requests(...CHANGES)).toEqual([]);
  stage.call(0).succeed();
  await stage.end();
});

describe("every half timeout", () => {
  test("the messages in hand are hidden for the whole timeout from then on, in batches", async () => {
    const stage = await holding(13);
    await pass(5000 * 6);
    expect(stage.sizes(...CHANGES)).toEqual(numbers(6).flatMap(() => [10, 3]));
    const times = new Set(stage.requests(...CHANGES).map(({ at }) => Math.round(at / 100)));
    expect(times.size).toBe(6);
    for (const { input } of stage.requests("ChangeMessageVisibilityBatch")) {
      expect(new Set(input.Entries?.map((entry) => entry.VisibilityTimeout))).toEqual(
        new Set([10]),
      );
    }
    expect(stage.left("hidden")).toHaveLength(13);
    expect(stage.started).toHaveLength(13);
    for (const call of stage.calls) call.succeed();
    await stage.end();
    expect(stage.left()).toEqual([]);
    expect(stage.errors).toEqual([]);
  });

  test("also those that wait for their turn (FIFO)", async () => {
    const stage = await holding(3, HEARTBEAT, "orders.fifo");
    await pass(61_000);
    expect(stage.started).toEqual([0]);
    expect(stage.left("hidden")).toEqual([0, 1, 2]);
    for (const n of numbers(3)) {
      stage.call(n).succeed();
      await pass();
    }
    await stage.end();
    expect(stage.left()).toEqual([]);
    expect([...stage.errors, ...stage.warnings]).toEqual([]);
  });

  test("a message that comes between two beats is not forgotten", async () => {
    const stage = await holding(1, { ...HEARTBEAT, concurrency: 2 });
    await pass(4900);
    await stage.seed([7]);
    await pass(30_000);
    expect(stage.left("hidden")).toEqual([0, 7]);
    for (const call of stage.calls) call.succeed();
    await stage.end();
    expect(stage.calls).toHaveLength(2);
  });

  test.each(["succeed", "fail"] as const)(
    "until it is done (%s); no timer is left",
    async (how) => {
      const stage = await holding(2, { ...HEARTBEAT, releaseDelaySeconds: 600 });
      await pass(6000);
      stage.call(0)[how]();
      await pass(100);
      stage.fake.clearRequests();
      await pass(5000);
      expect(stage.sizes(...CHANGES)).toEqual([1]);
      stage.call(1)[how]();
      await pass(100);
      stage.fake.clearRequests();
      await pass(60_000);
      expect(stage.requests(...CHANGES)).toEqual([]);
      await stage.end();
    },
  );

  test("the call under way is awaited before the delete goes out", async () => {
    const stage = await holding(1, { ...HEARTBEAT, settleLingerMs: 0 });
    stage.slow(300, ...CHANGES);
    await pass(5100);
    stage.call(0).succeed();
    await pass(150);
    expect(stage.requests(...CHANGES)).toHaveLength(1);
    expect(stage.requests(...DELETES)).toEqual([]);
    await pass(60);
    expect(stage.requests(...DELETES)).toHaveLength(1);
    await stage.end();
    expect(stage.requests(...CHANGES)).toHaveLength(1);
    expect(stage.errors).toEqual([]);
  });

  test("slow answers lose nothing, and no call overtakes another", async () => {
    const stage = await holding(1);
    let underWay = 0;
    let most = 0;
    stage.fake.onAnswer(async ({ operation }) => {
      if (!isChange(operation)) return;
      underWay += 1;
      most = Math.max(most, underWay);
      await after(4900);
      underWay -= 1;
    });
    await pass(60_000);
    expect(most).toBe(1);
    expect(stage.errors).toEqual([]);
    expect(stage.call(0).signal.aborted).toBe(false);
    stage.call(0).succeed();
    await stage.end();
  });
});

describe("a beat that fails", () => {
  test.each([
    ["once", 1],
    ["for four seconds", 4],
  ])("%s is tried again before the timeout lapses; nobody is told", async (_, seconds) => {
    const stage = await holding(2);
    const until = 5000 + seconds * 1000;
    stage.fake.onRequest(({ operation }) =>
      operation === "ChangeMessageVisibilityBatch" && elapsed() < until
        ? serviceUnavailable()
        : undefined,
    );
    await pass(9900);
    expect(stage.left("hidden")).toEqual([0, 1]);
    expect(Math.min(stage.hiddenFor(0), stage.hiddenFor(1))).toBeGreaterThan(5);
    await pass(60_000);
    expect(stage.errors).toEqual([]);
    expect(stage.calls.some(({ signal }) => signal.aborted)).toBe(false);
    for (const call of stage.calls) call.succeed();
    await stage.end();
    expect(stage.left()).toEqual([]);
  });

  test.each<[string, (stage: Stage) => void]>([
    [
      "a request",
      (stage) =>
        stage.fake.onRequest(({ operation }) =>
          isChange(operation) ? serviceUnavailable() : undefined,
        ),
    ],
    [
      "an entry, or one alone",
      (stage) => {
        stage.fake.failEntries(() => THEIRS);
        stage.fake.onRequest(({ operation }) =>
          operation === "ChangeMessageVisibility" ? serviceUnavailable() : undefined,
        );
      },
    ],
  ])(
    "until the timeout has lapsed (%s): reported once, and context.signal aborts then",
    async (_, breakIt) => {
      const stage = await holding(2);
      breakIt(stage);
      await pass(9900);
      expect(stage.errors).toEqual([]);
      expect(stage.call(0).signal.aborted).toBe(false);
      await pass(600);
      expect(stage.call(0).signal.aborted).toBe(true);
      expect(stage.errors).toEqual([
        expect.any(VisibilityLostError),
        expect.any(VisibilityLostError),
      ]);
      expect(stage.errors[0]).toHaveProperty("cause.message", expect.any(String));
      expect(stage.call(0).signal.reason).toBe(stage.errors[0]);
      await pass(60_000);
      expect(stage.errors).toHaveLength(2);
      for (const call of stage.calls) call.succeed();
      await stage.end();
    },
  );

  test("a beat that is never answered aborts context.signal when the timeout has lapsed", async () => {
    const stage = await holding(1);
    stage.hold(...CHANGES);
    await pass(9900);
    expect(stage.call(0).signal.aborted).toBe(false);
    await pass(200);
    expect(stage.call(0).signal.aborted).toBe(true);
    expect(stage.errors).toEqual([expect.any(VisibilityLostError)]);
  });

  test("for good: aborts at once; those beside it go on", async () => {
    const stage = await holding(3);
    let broken: string | undefined;
    stage.fake.failEntries((_, entry, index) => {
      const handle = "ReceiptHandle" in entry ? entry.ReceiptHandle : undefined;
      if (index === 1) broken ??= handle;
      return handle === broken ? OURS : undefined;
    });
    await pass(5100);
    expect(stage.calls.map(({ signal }) => signal.aborted)).toEqual([false, true, false]);
    expect(stage.errors).toEqual([expect.any(VisibilityLostError)]);
    await pass(4000 + 60_000);
    expect(stage.errors).toHaveLength(1);
    expect(stage.left("hidden")).toEqual([0, 2]);
  });

  test.each(["refused", "ignored"] as const)(
    "a message that was deleted meanwhile (%s)",
    async (lapsedVisibilityChange) => {
      const stage = new Stage("orders", {}, { lapsedVisibilityChange });
      await stage.seed([0]);
      const consumer = stage.consumer({ ...HEARTBEAT, concurrency: 1 });
      void consumer.run();
      await pass();
      const { ReceiptHandle } = stage.call(0).message;
      await stage.fake.perform({
        operation: "DeleteMessage",
        input: { QueueUrl: stage.url, ReceiptHandle },
      });
      await pass(5100);
      expect(stage.call(0).signal.aborted).toBe(true);
      expect(stage.errors).toEqual([expect.any(VisibilityLostError)]);
    },
  );

  test.each([
    ["succeed", 1],
    ["fail", 0],
  ] as const)("after the loss a handler may %s: %i delete, no release", async (how, deletes) => {
    const stage = await holding(1);
    const dispose = stage.fake.onRequest(({ operation }) =>
      isChange(operation) ? serviceUnavailable() : undefined,
    );
    await pass(10_100);
    dispose();
    stage.fake.clearRequests();
    stage.call(0)[how]();
    await pass(100);
    expect(stage.requests(...DELETES)).toHaveLength(deletes);
    expect(stage.requests(...CHANGES)).toEqual([]);
    expect(stage.left()).toEqual(deletes === 1 ? [] : [0]);
    expect(stage.errors).toHaveLength(how === "succeed" ? 1 : 2);
  });

  test("a waiting message that was lost is not started (FIFO)", async () => {
    const stage = await holding(2, HEARTBEAT, "orders.fifo");
    const dispose = stage.fake.onRequest(({ operation }) =>
      isChange(operation) ? serviceUnavailable() : undefined,
    );
    await pass(10_100);
    dispose();
    const open = stage.hold("ReceiveMessage");
    stage.call(0).succeed();
    await pass(100);
    expect(stage.started).toEqual([0]);
    expect(stage.requests(...DELETES)).toHaveLength(1);
    open();
  });
});

test.each([3600, 7, 43_200])(
  "SQS's 12 hours are the end (timeout %i s)",
  async (seconds) => {
    const stage = await holding(1, { heartbeat: true, visibilityTimeoutSeconds: seconds });
    const step = seconds === 7 ? 1_800_000 : 3_600_000;
    while (elapsed() < 43_200_000 - step) await pass(step);
    expect(stage.call(0).signal.aborted).toBe(false);
    await pass(step + 4000);
    expect(stage.call(0).signal.aborted).toBe(true);
    expect(stage.errors).toEqual([expect.any(VisibilityLostError)]);
    const seen = stage
      .requests("ChangeMessageVisibility")
      .map(({ input }) => input.VisibilityTimeout);
    expect(Math.max(0, ...seen.map((timeout) => timeout ?? 0))).toBeLessThanOrEqual(seconds);
  },
  60_000,
);

test("an answer that comes late does not make us ask beyond the 12 hours", async () => {
  const stage = new Stage("orders");
  await stage.seed([0]);
  stage.fake.onAnswer(({ operation }) => (operation === "ReceiveMessage" ? after(900) : undefined));
  const consumer = stage.consumer({
    heartbeat: true,
    visibilityTimeoutSeconds: 36_000,
    concurrency: 1,
  });
  void consumer.run();
  await pass(1000);
  await pass(43_190_000);
  expect(stage.call(0).signal.aborted).toBe(false);
  expect(stage.errors).toEqual([]);
});

function isChange(operation: string): boolean {
  return (CHANGES as readonly string[]).includes(operation);
}
