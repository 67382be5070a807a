import type { Outcome } from "@babelqueue/core";
import { type FifoGroupRule, serviceUnavailable } from "fake-sqs";
import { describe, expect, test } from "vitest";
import { after, elapsed, pass, seeded, useFakeClock } from "../fake-clock.fixture.js";
import type { SqsConsumer, SqsConsumerOptions } from "../index.js";
import { CHANGES, numberOf, numbers, OURS, Stage, THEIRS } from "../stage.fixture.js";

useFakeClock();

/** The hundreds of a number are its group. */
const groupOf = (n: number): string => `g${Math.floor(n / 100)}`;

const RULES: readonly FifoGroupRule[] = ["leading", "locked", "reopened"];

/** Message 1 has this outcome, whatever its handler says. */
const outcomeOf = (outcome: Outcome["kind"]): SqsConsumerOptions => ({
  middleware: [
    (next) => async (received) => {
      const { envelope } = received;
      if (envelope?.data["n"] !== 1) return next(received);
      const made: Record<string, object> = {
        release: { delaySeconds: 9 },
        "dead-letter": { reason: "failed", body: received.delivery.body },
      };
      return { kind: outcome, envelope, ...made[outcome] } as Outcome;
    },
  ],
});
const boom = (): never => {
  throw new Error("boom");
};

describe.each(RULES)("a queue whose groups are %s", (fifoGroups) => {
  // SQS hands out nothing of a group while one ahead of it is hidden. Against a server that did, each
  // release would have to be confirmed before the next: ten requests where one is enough.
  const handsOutInOrder = fifoGroups !== "reopened";
  const setUp = async (seed: readonly number[], attributes = {}): Promise<Stage> => {
    const stage = new Stage("orders.fifo", attributes, { fifoGroups });
    await stage.seed(seed, groupOf);
    return stage;
  };

  test("messages of one group are handled one after another, groups side by side", async () => {
    const stage = await setUp([1, 2, 3, 101, 102, 201]);
    const consumer = stage.consumer();
    const run = consumer.run();
    await pass();
    expect(stage.started).toEqual([1, 101, 201]);
    stage.call(101).succeed();
    stage.call(201).succeed();
    await pass();
    expect(stage.started).toEqual([1, 101, 201, 102]);
    stage.call(1).succeed();
    await pass();
    expect(stage.started).toEqual([1, 101, 201, 102, 2]);
    stage.call(2).succeed();
    stage.call(102).succeed();
    await pass();
    stage.call(3).succeed();
    await end(consumer, run);
    expect(stage.left()).toEqual([]);
    expect(stage.errors).toEqual([]);
  });

  test.each<[string, SqsConsumerOptions, number]>([
    ["at once", {}, 0],
    ["after a delay", { releaseDelaySeconds: 7 }, 7],
    ["after what a function says", { releaseDelaySeconds: (attempts) => 3 + attempts }, 3],
  ])("the followers of a failed message come back with it: %s", async (_, options, seconds) => {
    const stage = await setUp([1, 2, 3, 101, 102]);
    const consumer = stage.consumer({ waitTimeSeconds: 1, ...options });
    const run = consumer.run();
    await pass();
    stage.call(1).fail();
    await pass(40);
    expect(stage.started).toEqual([1, 101]);
    await pass(11);
    const [request, ...others] = stage.requests("ChangeMessageVisibilityBatch");
    expect(request?.input.Entries?.map((e) => e.VisibilityTimeout)).toEqual([
      seconds,
      seconds,
      seconds,
    ]);
    expect(others).toEqual([]);
    expect(consumer.stats()).toMatchObject({ released: 3, left: 0 });
    expect(stage.errors).toHaveLength(1);
    await pass(seconds * 1000 + 1000);
    for (const n of [1, 2, 3, 101, 102]) {
      stage.call(n).succeed();
      await pass();
    }
    await end(consumer, run);
    expect(stage.started).toEqual([1, 101, 1, 2, 3, 102]);
    expect(stage.left()).toEqual([]);
  });

  test("attempts count the receives, the followers' too", async () => {
    const stage = await setUp([1, 2]);
    const consumer = stage.consumer();
    const run = consumer.run();
    await pass();
    stage.call(1).fail();
    await pass(100);
    stage.call(1).succeed();
    await pass();
    expect(stage.calls.map(({ n, attempts }) => [n, attempts])).toEqual([
      [1, 0],
      [1, 1],
      [2, 1],
    ]);
    stage.call(2).succeed();
    await end(consumer, run);
  });

  test.each<[string, SqsConsumerOptions, string?]>([
    ["released", outcomeOf("release")],
    ["left", outcomeOf("leave")],
    ["left, as nobody knows its URN", {}, "urn:unknown"],
    ["released, as nobody knows its URN", { unknownUrnStrategy: "release" }, "urn:unknown"],
    ["left, as a hook failed", { onUnknownUrn: boom }, "urn:unknown"],
    [
      "left, as a middleware failed",
      {
        middleware: [
          (next) => (received) => (received.envelope?.data["n"] === 1 ? boom() : next(received)),
        ],
      },
    ],
    [
      "not to be dead-lettered",
      { ...outcomeOf("dead-letter"), deadLetterQueueUrl: "https://x/1/none.fifo" },
    ],
    ["for a dead-letter queue that is not set", outcomeOf("dead-letter")],
  ])("no follower is started when a message was %s", async (_, options, urn) => {
    const stage = await setUp([], { VisibilityTimeout: 600 });
    await stage.seed([1], groupOf, urn);
    await stage.seed([2, 3, 101], groupOf);
    const consumer = stage.consumer({ waitTimeSeconds: 1, ...options });
    const run = consumer.run();
    await pass(100);
    expect(stage.started).not.toContain(2);
    expect(stage.started).not.toContain(3);
    stage.call(101).succeed();
    await end(consumer, run);
    expect(stage.left()).toEqual([1, 2, 3]);
    // none becomes visible before the first
    expect(stage.hiddenFor(2)).toBeGreaterThanOrEqual(stage.hiddenFor(1));
    expect(stage.hiddenFor(3)).toBeGreaterThanOrEqual(stage.hiddenFor(1));
  });

  test.each<[string, (dlq: string) => SqsConsumerOptions, string?]>([
    ["handled", () => outcomeOf("ack")],
    ["dropped", () => outcomeOf("drop")],
    [
      "dead-lettered",
      (deadLetterQueueUrl) => ({ ...outcomeOf("dead-letter"), deadLetterQueueUrl }),
    ],
    ["dropped, as nobody knows its URN", () => ({ unknownUrnStrategy: "delete" }), "urn:unknown"],
    [
      "dead-lettered, as nobody knows its URN",
      (deadLetterQueueUrl) => ({ unknownUrnStrategy: "dead_letter", deadLetterQueueUrl }),
      "urn:unknown",
    ],
  ])("the followers of a message that was %s are handled", async (_, optionsWith, urn) => {
    const stage = await setUp([]);
    const deadLetterQueueUrl = stage.fake.createQueue("orders-dlq.fifo");
    await stage.seed([1], groupOf, urn);
    await stage.seed([2], groupOf);
    const consumer = stage.consumer(optionsWith(deadLetterQueueUrl));
    const run = consumer.run();
    await pass(200);
    expect(stage.started).toEqual([2]);
    stage.call(2).succeed();
    await end(consumer, run);
    expect(stage.left()).toEqual([]);
  });

  test("a follower is not started before its leader lies in the dead-letter queue", async () => {
    const stage = await setUp([1, 2]);
    const deadLetterQueueUrl = stage.fake.createQueue("orders-dlq.fifo");
    const open = stage.hold("SendMessage", "SendMessageBatch");
    const consumer = stage.consumer({ ...outcomeOf("dead-letter"), deadLetterQueueUrl });
    const run = consumer.run();
    await pass(500);
    expect(stage.started).toEqual([]);
    open();
    await pass(200);
    expect(stage.started).toEqual([2]);
    stage.call(2).succeed();
    await end(consumer, run);
  });

  test("nothing is remembered of a group: its next messages are handled", async () => {
    const stage = await setUp([1, 2]);
    const consumer = stage.consumer({ releaseDelaySeconds: 2, waitTimeSeconds: 1 });
    const run = consumer.run();
    for (const _ of numbers(3)) {
      await pass(100);
      stage.call(1).fail();
      await pass(3000);
    }
    stage.call(1).succeed();
    await pass();
    stage.call(2).succeed();
    await pass(200);
    await stage.seed([3], groupOf);
    await pass();
    stage.call(3).succeed();
    await end(consumer, run);
    expect(stage.left()).toEqual([]);
    expect(stage.started).toEqual([1, 1, 1, 1, 2, 3]);
  });

  test("a message whose visibility lapsed while it waited is not started, nor those behind it", async () => {
    const stage = await setUp([1, 2, 3], { VisibilityTimeout: 5 });
    const consumer = stage.consumer({ visibilityTimeoutSeconds: 5, concurrency: 3 });
    const run = consumer.run();
    await pass();
    await pass(6000);
    stage.call(1).succeed();
    await pass();
    // the second one's second delivery, then
    expect(stage.calls.map(({ n, attempts }) => [n, attempts])).toEqual([
      [1, 0],
      [2, 1],
    ]);
    expect(stage.warnings).toEqual(["visibility_lapsed"]);
    expect(stage.requests(...CHANGES)).toEqual([]);
    stage.call(2).succeed();
    await pass();
    stage.call(3).succeed();
    await end(consumer, run);
    expect(stage.left()).toEqual([]);
  });

  describe("when releasing goes wrong, none becomes visible before one ahead of it", () => {
    const faults: [string, (stage: Stage) => void][] = [
      ["the leader's release fails once", (stage) => failChanges(stage, 1, THEIRS, 1)],
      ["the leader's release fails for good", (stage) => failChanges(stage, 1, OURS, 99)],
      ["the first follower's release fails once", (stage) => failChanges(stage, 2, THEIRS, 1)],
      ["the first follower's release fails for good", (stage) => failChanges(stage, 2, OURS, 99)],
      [
        "the first request for releases fails",
        (stage) => {
          let isFirst = true;
          stage.fake.onRequest(({ operation }) => {
            if (!isChange(operation) || !isFirst) return undefined;
            isFirst = false;
            return serviceUnavailable();
          });
        },
      ],
      [
        "the first request for releases is slow",
        (stage) => {
          let isFirst = true;
          stage.fake.onRequest(({ operation }) => {
            if (!isChange(operation) || !isFirst) return undefined;
            isFirst = false;
            return after(100);
          });
        },
      ],
    ];

    const bearable = faults.filter(([fault]) => handsOutInOrder || fault.includes("request"));
    test.each(bearable)("%s", async (_, breakIt) => {
      // many groups, so that the releases need more than one request
      const seed = [1, 2, 3, 101, 102, 201, 202, 301, 302, 401, 402, 501, 502];
      const stage = await setUp(seed, { VisibilityTimeout: 20 });
      breakIt(stage);
      const handled: number[] = [];
      const run = await withConsumer(stage, { concurrency: 13 }, async (n) => {
        const isFirst = elapsed() < 50;
        await after(isFirst ? 50 - elapsed() : 1);
        if (isFirst) throw new Error("all fail at first");
        handled.push(n);
      });
      await pass(90_000);
      await run.end();
      expect(stage.left()).toEqual([]);
      expectOrdered(handled);
    });
  });

  test.each(numbers(handsOutInOrder ? 8 : 0))(
    "random failures, seed %i: in order, and nothing lost",
    async (seed) => {
      const random = seeded(seed);
      const all = numbers(6).flatMap((group) => numbers(12).map((n) => group * 100 + n));
      const stage = await setUp(all, { VisibilityTimeout: 30 });
      stage.slow(() => Math.floor(random() * 20));
      const done = new Set<number>();
      const handled: number[] = [];
      const run = await withConsumer(
        stage,
        {
          concurrency: 1 + Math.floor(random() * 30),
          maxMessages: 1 + Math.floor(random() * 10),
          releaseDelaySeconds: seed % 2 === 0 ? 0 : () => Math.floor(random() * 3),
          waitTimeSeconds: 1,
        },
        async (n) => {
          const isEarly = all.some(
            (other) => groupOf(other) === groupOf(n) && other < n && !done.has(other),
          );
          if (isEarly) throw new Error(`${n} was started too early`);
          await after(Math.floor(random() * 60));
          if (random() < 0.2) throw new Error("bad luck");
          done.add(n);
          handled.push(n);
        },
      );
      for (let turn = 0; turn < 60 && stage.left().length > 0; turn += 1) await pass(2000);
      await run.end();
      expect(stage.errors.filter((error) => String(error).includes("too early"))).toEqual([]);
      expect(stage.left()).toEqual([]);
      expect(handled).toHaveLength(all.length); // none twice
      expectOrdered(handled);
    },
  );

  test.each(numbers(handsOutInOrder ? 4 : 0))(
    "stopped and run again, seed %i: in order, and nothing lost",
    async (seed) => {
      const random = seeded(seed);
      const all = numbers(4).flatMap((group) => numbers(12).map((n) => group * 100 + n));
      const stage = await setUp(all, { VisibilityTimeout: 30 });
      const handled: number[] = [];
      const consumer = stage.consumer({ waitTimeSeconds: 1, concurrency: 8 }, async ({ data }) => {
        await after(20 + Math.floor(random() * 100));
        if (random() < 0.1) throw new Error("bad luck");
        handled.push(data.n);
      });
      for (let turn = 0; turn < 100 && stage.left().length > 0; turn += 1) {
        const run = consumer.run();
        await pass(Math.floor(random() * 300));
        await end(consumer, run);
      }
      expect(stage.left()).toEqual([]);
      expectOrdered(handled);
    },
  );
});

// Not "reopened": there SQS itself gives one consumer a leader and the other its follower.
describe.each<FifoGroupRule>(["leading", "locked"])("two consumers, groups %s", (fifoGroups) => {
  test.each(numbers(4))("one stopped and started, seed %i: in order", async (seed) => {
    const random = seeded(seed);
    const all = numbers(4).flatMap((group) => numbers(25).map((n) => group * 100 + n));
    const stage = new Stage("orders.fifo", { VisibilityTimeout: 30 }, { fifoGroups });
    await stage.seed(all, groupOf);
    const handled: number[] = [];
    let running = 0;
    const handle = async (n: number): Promise<void> => {
      running += 1;
      await after(20 + Math.floor(random() * 100));
      running -= 1;
      if (random() < 0.1) throw new Error("bad luck");
      handled.push(n);
    };
    const options = { waitTimeSeconds: 1, concurrency: 8 };
    const steady = await withConsumer(stage, options, handle);
    for (let turn = 0; turn < 100 && stage.left().length > 0; turn += 1) {
      const other = await withConsumer(stage, options, handle);
      await pass(Math.floor(random() * 300));
      await other.end();
    }
    await steady.end();
    expect(running).toBe(0);
    expect(stage.left()).toEqual([]);
    expectOrdered(handled);
  });
});

test("a group id on a standard queue (a fair queue) orders nothing, and fails nobody", async () => {
  const stage = new Stage("orders");
  await stage.seed([1, 2, 3], () => "tenant");
  const consumer = stage.consumer({ releaseDelaySeconds: 60 });
  const run = consumer.run();
  await pass();
  expect(stage.started).toEqual([1, 2, 3]);
  stage.call(1).fail();
  stage.call(2).succeed();
  stage.call(3).succeed();
  await end(consumer, run);
  expect(stage.left()).toEqual([1]);
  expect(consumer.stats()).toMatchObject({ handled: 2, released: 1 });
});

interface Running {
  readonly end: () => Promise<void>;
}

async function withConsumer(
  stage: Stage,
  options: SqsConsumerOptions,
  handle: (n: number) => Promise<void>,
): Promise<Running> {
  const consumer = stage.consumer(options, ({ data }) => handle(data.n));
  const run = consumer.run();
  return { end: () => end(consumer, run) };
}

async function end(consumer: SqsConsumer, run: Promise<void>): Promise<void> {
  const stopped = consumer.stop();
  await pass(2000);
  await Promise.all([stopped, run]);
}

/** By when each was first handled: in each group, in the order they were sent. */
function expectOrdered(handled: readonly number[]): void {
  const first = [...new Set(handled)];
  for (const group of new Set(first.map(groupOf))) {
    const ofGroup = first.filter((n) => groupOf(n) === group);
    expect(ofGroup).toEqual([...ofGroup].sort((a, b) => a - b));
  }
}

function isChange(operation: string): boolean {
  return (CHANGES as readonly string[]).includes(operation);
}

/** The releases of one message fail, so many times. */
function failChanges(
  stage: Stage,
  n: number,
  fault: typeof OURS | typeof THEIRS,
  times: number,
): void {
  let left = times;
  const id =
    stage.fake.messages(stage.url).find(({ body }) => numberOf(body) === n)?.messageId ?? "";
  stage.fake.failEntries((operation, entry) => {
    const handle = "ReceiptHandle" in entry ? (entry.ReceiptHandle ?? "") : "";
    const isIt = Buffer.from(handle.slice(4), "base64").toString().includes(id);
    return operation === "ChangeMessageVisibilityBatch" && isIt && left-- > 0 ? fault : undefined;
  });
}
