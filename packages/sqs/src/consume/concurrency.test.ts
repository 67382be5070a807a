import { serviceUnavailable, throttled } from "fake-sqs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { after, elapsed, pass, START, seeded, useFakeClock } from "../fake-clock.fixture.js";
import { type SqsConsumerOptions, SqsDeleteError } from "../index.js";
import { CHANGES, DELETES, numbers, OURS, Stage, THEIRS, URN } from "../stage.fixture.js";

useFakeClock();

/** How many messages each receive asked for. */
function asks(stage: Stage): (number | undefined)[] {
  return stage.requests("ReceiveMessage").map(({ input }) => input.MaxNumberOfMessages);
}

describe("slots", () => {
  test("one slow message stops nothing", async () => {
    const stage = new Stage("orders");
    await stage.seed(numbers(60));
    const handled: number[] = [];
    const consumer = stage.consumer({ concurrency: 3 }, async ({ data }, message, context) => {
      if (data.n === 1) await stage.handler({ data, attempts: 0 } as never, message, context);
      handled.push(data.n);
    });
    const run = consumer.run();
    await pass(5000);
    expect(handled).toHaveLength(59);
    expect(stage.left()).toEqual([1]);
    stage.call(1).succeed();
    await endOf(run, consumer.stop());
    expect(stage.left()).toEqual([]);
  });

  test.each([1, 3, 10, 25])(
    "concurrency %i: all slots are busy, and no more",
    async (concurrency) => {
      const stage = new Stage("orders");
      await stage.seed(numbers(200));
      const random = seeded(concurrency);
      let running = 0;
      let most = 0;
      let idleMs = 0;
      const consumer = stage.consumer({ concurrency }, async () => {
        running += 1;
        most = Math.max(most, running);
        await after(10 + Math.floor(random() * 200));
        running -= 1;
      });
      const run = consumer.run();
      await pass();
      for (; stage.left("visible").length > 0; await pass(10)) {
        idleMs += 10 * (concurrency - running);
      }
      expect(most).toBe(concurrency);
      expect(idleMs / elapsed() / concurrency).toBeLessThan(0.05);
      await endOf(run, consumer.stop());
    },
  );

  test.each([
    { concurrency: 3, maxMessages: 10, waiting: 0, expected: [3] },
    { concurrency: 10, maxMessages: 10, waiting: 0, expected: [10] },
    { concurrency: 25, maxMessages: 4, waiting: 0, expected: [4] },
    { concurrency: 100, maxMessages: 10, waiting: 0, expected: [10] },
    { concurrency: 3, maxMessages: 10, waiting: 9, expected: [3] },
    { concurrency: 10, maxMessages: 4, waiting: 9, expected: [4, 4, 2, 1] },
    { concurrency: 25, maxMessages: 10, waiting: 99, expected: [10, 10, 5] },
    { concurrency: 12, maxMessages: 10, waiting: 11, expected: [10, 2, 1] },
  ])("asks for min(maxMessages, 10, free slots): %j", async ({ waiting, expected, ...options }) => {
    const stage = new Stage("orders");
    await stage.seed(numbers(waiting));
    const consumer = stage.consumer(options);
    const run = consumer.run();
    await pass();
    expect(asks(stage)).toEqual(expected);
    for (const call of stage.calls) call.succeed();
    await endOf(run, consumer.stop());
  });

  test("slots that a receive under way has asked for are not asked for again", async () => {
    const stage = new Stage("orders");
    await stage.seed(numbers(12));
    stage.slow(50, "ReceiveMessage");
    const consumer = stage.consumer({ concurrency: 12 });
    const run = consumer.run();
    await pass(49);
    expect(asks(stage)).toEqual([10]);
    await pass(2);
    expect(asks(stage)).toEqual([10, 2]);
    stage.call(0).succeed();
    stage.call(1).succeed();
    await pass(10); // two slots of twelve are free, two are asked for
    expect(asks(stage)).toEqual([10, 2]);
    await pass(41);
    expect(stage.started).toEqual(numbers(12));
    expect(asks(stage)).toEqual([10, 2, 2]);
    for (const call of stage.calls) call.succeed();
    await endOf(run, consumer.stop());
  });

  test("slots that are freed together are asked for together", async () => {
    const stage = new Stage("orders");
    await stage.seed(numbers(20));
    const consumer = stage.consumer();
    const run = consumer.run();
    await pass();
    for (const call of stage.calls.slice(0, 4)) call.succeed();
    await pass();
    expect(asks(stage)).toEqual([10, 4]);
    for (const call of stage.calls) call.succeed();
    await endOf(run, consumer.stop());
  });
});

describe("receives under way", () => {
  test.each([1, 10, 35, 100])("one while idle, at concurrency %i", async (concurrency) => {
    const stage = new Stage("orders");
    const consumer = stage.consumer({ concurrency });
    const underWay = receivesUnderWay(stage);
    const run = consumer.run();
    await pass(59_000);
    expect(underWay.most).toBe(1);
    expect(asks(stage)).toHaveLength(3);
    await endOf(run, consumer.stop());
  });

  test.each([
    [1, 1],
    [10, 1],
    [20, 2],
    [35, 3],
    [100, 10],
  ])(
    "concurrency %i: up to %i while messages keep coming, one again when they end",
    async (concurrency, expected) => {
      const stage = new Stage("orders");
      await stage.seed(numbers(concurrency * 20));
      const underWay = receivesUnderWay(stage);
      stage.slow(15, "ReceiveMessage");
      const consumer = stage.consumer({ concurrency }, () => after(20));
      const run = consumer.run();
      await pass(40 * 20 * 2);
      expect(stage.left()).toEqual([]);
      expect(underWay.most).toBeGreaterThanOrEqual(expected);
      expect(underWay.most).toBeLessThanOrEqual(Math.ceil(concurrency / 10));
      await pass(25_000);
      expect(underWay.now).toBe(1);
      await endOf(run, consumer.stop());
    },
  );

  test("`waitTimeSeconds: 0`: 200 ms between receives on an empty queue, none on a full one", async () => {
    const stage = new Stage("orders");
    const consumer = stage.consumer({ waitTimeSeconds: 0 }, () => undefined);
    const run = consumer.run();
    await pass(999);
    const waits = stage
      .requests("ReceiveMessage")
      .map(({ at }, i, all) => at - (all[i - 1]?.at ?? at));
    expect(waits.map((ms) => Math.round(ms / 10) * 10)).toEqual([0, 200, 200, 200, 200]);
    await stage.seed(numbers(50));
    await pass(201);
    expect(stage.left("visible")).toEqual([]);
    expect(stage.requests("ReceiveMessage")).toHaveLength(6);
    await endOf(run, consumer.stop());
  });

  test("each asks for all attributes and the system attributes that are used", async () => {
    const stage = new Stage("orders");
    const consumer = stage.consumer({ waitTimeSeconds: 7, visibilityTimeoutSeconds: 90 });
    await endOf(
      consumer.run(),
      pass(10_000).then(() => consumer.stop()),
    );
    const [request] = stage.requests("ReceiveMessage");
    expect(request?.input).toEqual({
      QueueUrl: stage.url,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 7,
      VisibilityTimeout: 90,
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["ApproximateReceiveCount", "MessageGroupId"],
    });
  });

  test("a first visibility timeout of 0 is said", async () => {
    const stage = new Stage("orders");
    const consumer = stage.consumer({ visibilityTimeoutSeconds: 0 });
    await endOf(
      consumer.run(),
      pass(10).then(() => consumer.stop()),
    );
    expect(stage.requests("ReceiveMessage")[0]?.input.VisibilityTimeout).toBe(0);
  });
});

describe("settling", () => {
  const ways = [
    ["deletes", DELETES, "succeed"],
    ["releases", CHANGES, "fail"],
  ] as const;

  describe.each(ways)("%s", (_, operations, end) => {
    test.each([
      { count: 1, settleLingerMs: 50, atOnce: [], later: [1] },
      { count: 3, settleLingerMs: 50, atOnce: [], later: [3] },
      { count: 10, settleLingerMs: 50, atOnce: [10], later: [10] },
      { count: 23, settleLingerMs: 50, atOnce: [10, 10], later: [10, 10, 3] },
      { count: 3, settleLingerMs: 0, atOnce: [3], later: [3] },
      { count: 3, settleLingerMs: 400, atOnce: [], later: [3] },
    ])(
      "go out at ten, or after settleLingerMs: %j",
      async ({ count, settleLingerMs, ...sizes }) => {
        const stage = new Stage("orders");
        await stage.seed(numbers(count));
        const consumer = stage.consumer({
          concurrency: 30,
          settleLingerMs,
          releaseDelaySeconds: 60,
        });
        const run = consumer.run();
        await pass();
        for (const call of stage.calls) call[end]();
        await pass(Math.max(0, settleLingerMs - 1));
        expect(stage.sizes(...operations)).toEqual(sizes.atOnce);
        await pass(1);
        expect(stage.sizes(...operations)).toEqual(sizes.later);
        await endOf(run, consumer.stop());
      },
    );

    test.each(["poll", "stop"] as const)("are flushed at once when a %s ends", async (how) => {
      const stage = new Stage("orders");
      await stage.seed(numbers(3));
      const consumer = stage.consumer({ settleLingerMs: 5000, releaseDelaySeconds: 60 });
      const done = how === "poll" ? consumer.poll() : consumer.run();
      await pass();
      for (const call of stage.calls) call[end]();
      if (how === "stop") await endOf(done, consumer.stop(), 1000);
      else await done;
      expect(stage.sizes(...operations)).toEqual([3]);
      expect(elapsed()).toBeLessThanOrEqual(1010);
    });

    test("free their slots at once, before their request", async () => {
      const stage = new Stage("orders");
      await stage.seed(numbers(4));
      stage.hold(...operations);
      const consumer = stage.consumer({ concurrency: 2 });
      const run = consumer.run();
      await pass();
      for (const call of stage.calls) call[end]();
      await pass(60);
      expect(stage.started).toEqual([0, 1, 2, 3]);
      expect(consumer.stats().inFlight).toBe(2);
      void run;
    });

    test("entries have positions as ids, and are distinct by receipt handle", async () => {
      const stage = new Stage("orders");
      await stage.seed(numbers(5));
      const consumer = stage.consumer();
      const polled = consumer.poll();
      await pass();
      for (const call of stage.calls) call[end]();
      await polled;
      const [request] = stage.requests("DeleteMessageBatch", "ChangeMessageVisibilityBatch");
      const entries: readonly { Id?: string | undefined; ReceiptHandle?: string | undefined }[] =
        request?.input.Entries ?? [];
      expect(entries.map(({ Id }) => Id)).toEqual(["0", "1", "2", "3", "4"]);
      expect(new Set(entries.map(({ ReceiptHandle }) => ReceiptHandle)).size).toBe(5);
    });

    test.each([1, 2])(
      "an entry that fails %i times by SQS's fault is tried again, alone",
      async (times) => {
        const stage = new Stage("orders");
        await stage.seed(numbers(4));
        let left = times * 2; // two entries
        stage.fake.failEntries((_operation, _entry, index) =>
          index < 2 && left-- > 0 ? THEIRS : undefined,
        );
        const consumer = stage.consumer({ releaseDelaySeconds: 60 });
        const run = consumer.run();
        await pass();
        for (const call of stage.calls) call[end]();
        await pass(2000);
        expect(stage.sizes(...operations)).toEqual([4, 2, 2].slice(0, times + 1));
        expect(stage.errors).toHaveLength(end === "fail" ? 4 : 0); // the handlers' own
        const { handled, released } = consumer.stats();
        expect(handled + released).toBe(4);
        await endOf(run, consumer.stop());
      },
    );

    test.each([
      ["ours", OURS, 1],
      ["SQS's, three times", THEIRS, 3],
    ])("entries that fail by a fault that is %s: one error each", async (_whose, fault, tries) => {
      const stage = new Stage("orders");
      await stage.seed(numbers(5));
      const doomed = new Set<string>();
      stage.fake.failEntries(
        (
          _operation,
          { ReceiptHandle: handle = "" }: { ReceiptHandle?: string | undefined } & object,
          index,
        ) => {
          if (doomed.size < 2 && index < 2) doomed.add(handle);
          return doomed.has(handle) ? fault : undefined;
        },
      );
      const consumer = stage.consumer({ releaseDelaySeconds: 60 });
      const run = consumer.run();
      await pass();
      for (const call of stage.calls) call[end]();
      await pass(5000);
      expect(stage.requests(...operations)).toHaveLength(tries);
      const name = end === "succeed" ? "SqsDeleteError" : "SqsReleaseError";
      const reported = stage.errors.filter(
        (error) => error instanceof Error && error.name === name,
      );
      expect(reported).toHaveLength(2);
      for (const error of reported) {
        expect(error).toMatchObject({ code: fault.code, senderFault: fault.senderFault });
        expect(error).toHaveProperty("cause.message", expect.any(String));
      }
      const { failedDeletes, left } = consumer.stats();
      expect([failedDeletes, left]).toEqual(end === "succeed" ? [2, 0] : [0, 2]);
      await endOf(run, consumer.stop());
    });

    test("a request that fails whole: one error each, and the next one goes out", async () => {
      const stage = new Stage("orders");
      await stage.seed(numbers(4));
      let isFirst = true;
      const fault = serviceUnavailable();
      stage.fake.onRequest(({ operation }) => {
        if (!(operations as readonly string[]).includes(operation) || !isFirst) return undefined;
        isFirst = false;
        return fault;
      });
      const consumer = stage.consumer({ releaseDelaySeconds: 60 });
      const run = consumer.run();
      await pass();
      for (const call of stage.calls.slice(0, 2)) call[end]();
      await pass(60);
      for (const call of stage.calls.slice(2)) call[end]();
      await pass(1000);
      expect(stage.sizes(...operations)).toEqual([2, 2]);
      const reported = stage.errors.filter(
        (error) => error instanceof Error && error.cause === fault,
      );
      expect(reported).toHaveLength(2);
      await endOf(run, consumer.stop());
    });
  });

  test("a message whose delete failed is neither released nor handled again", async () => {
    const stage = new Stage("orders", { VisibilityTimeout: 30 });
    await stage.seed(numbers(2));
    stage.fake.failEntries((_, __, index) => (index === 0 ? OURS : undefined));
    const consumer = stage.consumer();
    const run = consumer.run();
    await pass();
    for (const call of stage.calls) call.succeed();
    await pass(29_000);
    expect(stage.errors).toEqual([expect.any(SqsDeleteError)]);
    expect(stage.requests(...CHANGES)).toEqual([]);
    expect(stage.started).toEqual([0, 1]);
    await endOf(run, consumer.stop());
  });
});

const boom = (): never => {
  throw new Error("a hook failed");
};
const reject = (): Promise<never> => Promise.reject(new Error("a hook failed"));

describe("what users give cannot break the loop", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const nothing = { unknownUrnStrategy: "delete" } as const;

  test.each<[string, SqsConsumerOptions, (() => unknown)?]>([
    ["a handler throws", {}, boom],
    ["a handler rejects", {}, reject],
    ["a handler rejects with no Error", {}, () => Promise.reject(Object.create(null) as Error)],
    ["onError throws", { onError: boom }, reject],
    ["onError rejects", { onError: reject }, boom],
    ["releaseDelaySeconds throws", { releaseDelaySeconds: boom }, boom],
    ["releaseDelaySeconds is no number", { releaseDelaySeconds: () => Number.NaN }, boom],
    ["releaseDelaySeconds is negative", { releaseDelaySeconds: () => -5 }, boom],
    ["releaseDelaySeconds is no whole number", { releaseDelaySeconds: () => 0.5 }, boom],
    ["onUnknownUrn throws", { ...nothing, onUnknownUrn: boom }],
    ["onUnknownUrn rejects", { ...nothing, onUnknownUrn: reject }],
    ["a middleware throws", { middleware: [() => boom] }],
    ["a middleware rejects", { middleware: [() => reject] }],
    ["a middleware returns nothing", { middleware: [() => async () => undefined as never] }],
  ])("%s", async (_, options, handler) => {
    vi.spyOn(process, "emitWarning").mockReturnValue();
    const stage = new Stage("orders", { VisibilityTimeout: 5 });
    let bad = 20; // then all is well
    const seen = new Set<string | undefined>();
    await stage.seed(numbers(20), undefined, handler === undefined ? "urn:unknown" : URN);
    const consumer = stage.consumer(
      { concurrency: 2, onWarning: () => undefined, ...options },
      (__, { MessageId }) => {
        seen.add(MessageId);
        return (bad -= 1) >= 0 ? handler?.() : undefined;
      },
    );
    const run = consumer.run();
    await pass(4000);
    await stage.seed([100, 101, 102]);
    await pass(4000);
    expect(consumer.stats().received).toBeGreaterThanOrEqual(23);
    expect(consumer.stats().inFlight).toBe(0);
    await endOf(run, consumer.stop());
  });

  test("an onError that never ends does not end the receiving after an error", async () => {
    const stage = new Stage("orders");
    let fails = 1;
    stage.fake.onRequest(({ operation }) =>
      operation === "ReceiveMessage" && fails-- > 0 ? serviceUnavailable() : undefined,
    );
    const consumer = stage.consumer({ onError: () => new Promise(() => undefined) });
    const run = consumer.run();
    await stage.seed([1]);
    await pass(2000);
    expect(stage.started).toEqual([1]);
    stage.call(1).succeed();
    await endOf(run, consumer.stop());
  });
});

test("stats() counts what became of each message", async () => {
  const stage = new Stage("orders");
  const deadLetterQueueUrl = stage.fake.createQueue("orders-dlq");
  const consumer = stage.consumer({
    deadLetterQueueUrl,
    concurrency: 30,
    releaseDelaySeconds: 600,
    middleware: [
      (next) => async (received) => {
        const { envelope } = received;
        const outcome = await next(received);
        return envelope?.data["n"] === 4 ? { kind: "leave", envelope } : outcome;
      },
    ],
  });
  expect(consumer.stats()).toEqual({
    received: 0,
    handled: 0,
    released: 0,
    left: 0,
    deadLettered: 0,
    dropped: 0,
    failedDeletes: 0,
    inFlight: 0,
    lastReceiveAt: undefined,
  });
  await stage.seed(numbers(6));
  await stage.fake.perform({
    operation: "SendMessage",
    input: { QueueUrl: stage.url, MessageBody: "poison" },
  });
  const run = consumer.run();
  await pass(10);
  expect(consumer.stats()).toMatchObject({ received: 7, inFlight: 6 });
  for (const n of [0, 1, 4]) stage.call(n).succeed();
  for (const n of [2, 3]) stage.call(n).fail();
  await pass(500);
  expect(consumer.stats()).toEqual({
    received: 7,
    handled: 2,
    released: 2,
    left: 1,
    deadLettered: 1,
    dropped: 0,
    failedDeletes: 0,
    inFlight: 1,
    lastReceiveAt: START,
  });
  stage.call(5).succeed();
  await endOf(run, consumer.stop());
  expect(consumer.stats()).toMatchObject({ handled: 3, inFlight: 0 });
});

test("stats().lastReceiveAt moves with every answer, empty ones too", async () => {
  const stage = new Stage("orders");
  const consumer = stage.consumer();
  const run = consumer.run();
  await pass(45_000);
  expect(consumer.stats().lastReceiveAt).toBeCloseTo(Date.now() - 5000, -2);
  await endOf(run, consumer.stop());
});

/** Passes time until both have ended. */
async function endOf(run: Promise<unknown>, stopped: Promise<unknown>, ms = 40_000): Promise<void> {
  await pass(ms);
  await Promise.all([run, stopped]);
}

/** How many receives are under way, by their answers. */
function receivesUnderWay(stage: Stage): { now: number; most: number } {
  const underWay = { now: 0, most: 0 };
  stage.fake.onRequest(({ operation }) => {
    if (operation !== "ReceiveMessage") return;
    underWay.now += 1;
    underWay.most = Math.max(underWay.most, underWay.now);
  });
  stage.fake.onAnswer(({ operation }) => {
    if (operation === "ReceiveMessage") underWay.now -= 1;
  });
  return underWay;
}

test.each([
  ["brought nothing", undefined],
  ["failed", throttled],
])("a poll that waits for the slots of a receive goes on when that %s", async (_, fault) => {
  const stage = new Stage("orders");
  let isFirst = true;
  stage.fake.onRequest(async ({ operation }) => {
    if (operation !== "ReceiveMessage" || !isFirst) return undefined;
    isFirst = false;
    await after(100);
    return fault?.();
  });
  const consumer = stage.consumer({ waitTimeSeconds: 0 });
  const polls = Promise.allSettled([consumer.poll(), consumer.poll()]);
  await pass(1000);
  const settled = await polls;
  expect(settled[1]).toEqual({ status: "fulfilled", value: 0 });
});

test("a poll that waits for a slot brings nothing once the consumer was stopped", async () => {
  const stage = new Stage("orders");
  await stage.seed([1, 2]);
  const consumer = stage.consumer({ concurrency: 1, shutdownTimeoutMs: 0 });
  const first = consumer.poll();
  await pass();
  const second = consumer.poll();
  const stopped = consumer.stop();
  stage.call(1).succeed();
  await pass(100);
  await Promise.all([first, stopped]);
  await pass(100);
  expect(await second).toBe(0);
  expect(stage.started).toEqual([1]);
});
