import { batchRequestTooLong, serviceUnavailable, throttled } from "fake-sqs";
import { describe, expect, test } from "vitest";
import {
  after,
  elapsed,
  newGate,
  pass,
  seeded,
  useFakeClock,
  watch,
} from "../fake-clock.fixture.js";
import { SqsPublisher, type SqsPublisherOptions, SqsSendError } from "../index.js";
import { numberOf, numbers, OURS, SENDS, Stage, THEIRS, URN } from "../stage.fixture.js";

useFakeClock();

interface Publishing extends Stage {
  readonly publish: (n: number, group?: string) => Promise<string>;
  readonly publisher: SqsPublisher;
}

function publishing(name: string, options: SqsPublisherOptions = {}): Publishing {
  const stage = new Stage(name);
  const publisher = new SqsPublisher(stage.client, stage.url, options);
  const publish = (n: number, messageGroupId?: string): Promise<string> =>
    publisher.publish(URN, { n }, { messageGroupId });
  return Object.assign(stage, { publisher, publish });
}

/** What became of promises, in order: the id's place is taken by "ok". */
async function outcomes(promises: readonly Promise<string>[]): Promise<string[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => {
    if (result.status === "fulfilled") return "ok";
    return result.reason instanceof SqsSendError ? result.reason.code : String(result.reason);
  });
}

describe("what travels together", () => {
  test("a lone publish is a plain SendMessage, and waits for nothing", async () => {
    const { fake, publish } = publishing("orders");
    await publish(1); // no timer runs: the clock stands
    expect(fake.requests.map(({ operation }) => operation)).toEqual(["SendMessage"]);
  });

  test.each([
    [2, [2]],
    [10, [10]],
    [11, [10, 1]],
    [25, [10, 10, 5]],
  ])("%i publishes of one tick make requests of %j", async (count, sizes) => {
    const stage = publishing("orders");
    const sent = numbers(count).map((n) => stage.publish(n));
    expect(await outcomes(sent)).toEqual(numbers(count).map(() => "ok"));
    expect(stage.sizes(...SENDS)).toEqual(sizes);
    expect(stage.left()).toEqual(numbers(count));
    expect(elapsed()).toBe(0);
  });

  test("so do those that promises of the same tick lead to", async () => {
    const stage = publishing("orders");
    const later = async (n: number): Promise<string> => {
      for (let turn = 0; turn < n; turn += 1) await Promise.resolve();
      return stage.publish(n);
    };
    await Promise.all(numbers(5).map(later));
    expect(stage.sizes(...SENDS)).toEqual([5]);
  });

  test("and those made while a request is under way, once it is answered", async () => {
    const stage = publishing("orders");
    stage.slow(15);
    void stage.publish(0);
    await pass(5);
    void stage.publish(1);
    await pass(5);
    void stage.publish(2);
    await pass(4);
    expect(stage.sizes(...SENDS)).toEqual([1]);
    await pass(1);
    expect(stage.sizes(...SENDS)).toEqual([1, 2]);
  });

  test("a request that hangs does not hold up those behind it", async () => {
    const stage = publishing("orders");
    const open = stage.hold("SendMessage");
    void stage.publish(0);
    await pass();
    const behind = [stage.publish(1), stage.publish(2)];
    await pass(20);
    await Promise.all(behind);
    open();
    await stage.publisher.flush();
    expect(stage.sizes(...SENDS)).toEqual([1, 2]);
  });

  test("callers that each await their publish come to 0.12 requests a message at most", async () => {
    const stage = publishing("orders");
    stage.slow(15);
    const caller = async (): Promise<void> => {
      for (const n of numbers(20)) await stage.publish(n);
    };
    const all = Promise.all(numbers(100).map(caller));
    await pass(2000);
    await all;
    expect(stage.left()).toHaveLength(2000);
    expect(stage.fake.requests.length / 2000).toBeLessThanOrEqual(0.12);
  });

  test("`batching: false`: each alone", async () => {
    const stage = publishing("orders", { batching: false });
    await Promise.all(numbers(25).map((n) => stage.publish(n)));
    expect(stage.requests("SendMessage")).toHaveLength(25);
    expect(stage.requests("SendMessageBatch")).toEqual([]);
  });

  test("entry ids are positions", async () => {
    const stage = publishing("orders");
    await Promise.all(numbers(14).map((n) => stage.publish(n)));
    const ids = stage
      .requests("SendMessageBatch")
      .map(({ input }) => input.Entries?.map((e) => e.Id));
    expect(ids).toEqual([numbers(10).map(String), numbers(4).map(String)]);
  });

  test("the entries of a batch say what a message alone says", async () => {
    const stage = publishing("orders.fifo");
    const options = { headers: { a: "1" }, messageGroupId: "g", traceId: "t" };
    const sent = [1, 2, 3].map((n) =>
      stage.publisher.publish(URN, { n }, { ...options, deduplicationId: `d${n}` }),
    );
    await Promise.all(sent);
    await stage.publisher.publish(URN, { n: 4 }, { ...options, deduplicationId: "d4" });
    const [batch, alone] = stage.fake.messages(stage.url).slice(2);
    expect(Object.keys(batch?.attributes ?? {})).toEqual(Object.keys(alone?.attributes ?? {}));
    expect([batch?.groupId, batch?.deduplicationId]).toEqual(["g", "d3"]);
    expect([alone?.groupId, alone?.deduplicationId]).toEqual(["g", "d4"]);
  });
});

describe("`lingerMs`", () => {
  test("waits so long for more", async () => {
    const stage = publishing("orders", { batching: { lingerMs: 30 } });
    void stage.publish(0);
    await pass(20);
    void stage.publish(1);
    await pass(9);
    expect(stage.fake.requests).toEqual([]);
    await pass(1);
    expect(stage.sizes(...SENDS)).toEqual([2]);
  });

  test("but not when a request is full", async () => {
    const stage = publishing("orders", { batching: { lingerMs: 30 } });
    for (const n of numbers(23)) void stage.publish(n);
    await pass();
    expect(stage.sizes(...SENDS)).toEqual([10, 10]);
    await pass(30);
    expect(stage.sizes(...SENDS)).toEqual([10, 10, 3]);
  });

  test("nor for `flush`", async () => {
    const stage = publishing("orders", { batching: { lingerMs: 30 } });
    void stage.publish(0);
    void stage.publish(1);
    await stage.publisher.flush();
    expect(stage.left()).toEqual([0, 1]);
    expect(elapsed()).toBe(0);
  });
});

describe("1 MiB a request", () => {
  test.each([
    ["three of 600 kB", 3, "x".repeat(600_000), [1, 1, 1]],
    ["five of 400 kB", 5, "x".repeat(400_000), [2, 2, 1]],
    ["twelve of 100 kB", 12, "x".repeat(100_000), [10, 2]],
    ["two of 350 000 characters of three bytes", 2, "€".repeat(349_000), [1, 1]],
    ["three of 260 000 characters of four bytes", 3, "😀".repeat(130_000), [2, 1]],
  ])("%s", async (_, count, text, sizes) => {
    const stage = publishing("orders");
    const sent = numbers(count).map(() => stage.publisher.publish(URN, { text }));
    expect(await outcomes(sent)).toEqual(numbers(count).map(() => "ok"));
    expect(stage.sizes(...SENDS)).toEqual(sizes);
  });

  test("attributes count", async () => {
    const stage = publishing("orders");
    const headers = { big: "x".repeat(300_000) };
    const text = "x".repeat(300_000);
    const sent = [1, 2].map(() => stage.publisher.publish(URN, { text }, { headers }));
    expect(await outcomes(sent)).toEqual(["ok", "ok"]);
    expect(stage.sizes(...SENDS)).toEqual([1, 1]);
  });

  test.each([
    [5, "orders", [10, 5, 5]],
    [4, "orders", [10, 5, 3, 2, 5, 3, 2]],
    [1, "orders.fifo", [10, 5, 3, 2, 1, 1, 1, 2, 1, 1, 5, 3, 2, 1, 1, 1, 2, 1, 1]],
  ])("a queue that takes only %i at a time (%s): halves", async (limit, name, sizes) => {
    const stage = publishing(name);
    stage.fake.onRequest((request) =>
      request.operation === "SendMessageBatch" && (request.input.Entries?.length ?? 0) > limit
        ? batchRequestTooLong(2_000_000, 1_048_576)
        : undefined,
    );
    const sent = numbers(10).map((n) => stage.publish(n));
    expect(await outcomes(sent)).toEqual(numbers(10).map(() => "ok"));
    expect(stage.sizes(...SENDS)).toEqual(sizes);
    expect(stage.left()).toEqual(numbers(10));
  });

  test("a half that fails does not fail the other, and a fault in a half is tried again", async () => {
    const stage = publishing("orders");
    stage.fake.onRequest(({ input }) => {
      if (!("Entries" in input)) return undefined;
      if (input.Entries?.length === 10) return batchRequestTooLong(2_000_000, 1_048_576);
      return JSON.stringify(input).includes('\\"n\\":0') ? serviceUnavailable() : undefined;
    });
    const failed = new Set<string>();
    stage.fake.failEntries((_, entry) => {
      const body = "MessageBody" in entry ? (entry.MessageBody ?? "") : "";
      if (numberOf(body) !== 7 || failed.has(body)) return undefined;
      failed.add(body);
      return THEIRS;
    });
    const sent = outcomes(numbers(10).map((n) => stage.publish(n)));
    await pass(1000);
    expect(await sent).toEqual([
      ...numbers(5).map(() => "ServiceUnavailable"),
      ...numbers(5).map(() => "ok"),
    ]);
    expect(stage.left().sort((a, b) => a - b)).toEqual([5, 6, 7, 8, 9]);
  });
});

describe("each caller gets its own result", () => {
  test("an entry that is our fault fails its own promise, at once and for good", async () => {
    const stage = publishing("orders");
    failing(stage, { 1: { times: 1, fault: OURS } });
    const sent = numbers(3).map((n) => stage.publish(n));
    expect(await outcomes(sent)).toEqual(["ok", OURS.code, "ok"]);
    await pass(60_000);
    expect(stage.sizes(...SENDS)).toEqual([3]);
    expect(elapsed()).toBe(60_000);
  });

  test.each([
    [1, "ok", 2],
    [2, "ok", 3],
    [3, THEIRS.code, 3],
    [9, THEIRS.code, 3],
  ])(
    "entries that SQS fails %i times: %s after %i tries, with a growing wait",
    async (times, end, tries) => {
      const stage = publishing("orders");
      failing(stage, { 1: { times, fault: THEIRS }, 2: { times, fault: THEIRS } });
      const sent = outcomes(numbers(4).map((n) => stage.publish(n)));
      await pass(5000);
      expect(await sent).toEqual(["ok", end, end, "ok"]);
      expect(stage.sizes(...SENDS)).toEqual([4, 2, 2].slice(0, tries));
      const waits = stage.fake.requests.map(
        ({ at }, index, all) => at - (all[index - 1]?.at ?? at),
      );
      expect(waits[1]).toBeGreaterThan(0);
      expect(waits[2] ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(waits[1] ?? 0);
    },
  );

  test("a throttled entry is no fault of ours, whatever SQS says", async () => {
    const stage = publishing("orders");
    let first = true;
    stage.fake.failEntries((_, _entry, index) => {
      if (index !== 1 || !first) return undefined;
      first = false;
      return { code: "RequestThrottled", senderFault: true };
    });
    const sent = outcomes(numbers(3).map((n) => stage.publish(n)));
    await pass(1000);
    expect(await sent).toEqual(["ok", "ok", "ok"]);
  });

  test.each([
    ["alone", 1],
    ["in a batch", 3],
  ])(
    "a request that fails whole (%s) rejects those in it, once, with the SDK's error as cause",
    async (_, count) => {
      const stage = publishing("orders");
      const fault = serviceUnavailable();
      const dispose = stage.fake.onRequest(() => fault);
      const settled = await Promise.allSettled(numbers(count).map((n) => stage.publish(n)));
      dispose();
      for (const result of settled) {
        expect(result).toMatchObject({
          status: "rejected",
          reason: {
            name: "SqsSendError",
            code: "ServiceUnavailable",
            senderFault: false,
            cause: fault,
          },
        });
      }
      await pass(60_000);
      expect(stage.fake.requests).toHaveLength(1);
      await expect(stage.publish(9)).resolves.toBeTypeOf("string");
    },
  );

  test("the error has one shape, alone or in a batch", async () => {
    for (const error of [
      await firstError(1, (stage) => stage.fake.onRequest(() => throttled())),
      await firstError(2, (stage) => stage.fake.onRequest(() => throttled())),
      await firstError(2, (stage) => stage.fake.failEntries(() => OURS)),
    ]) {
      expect(error).toBeInstanceOf(SqsSendError);
      expect(Object.keys(error).sort()).toEqual(["code", "senderFault"]);
      expect(error).toHaveProperty("cause.message", expect.any(String));
    }
  });

  test("an entry that the answer does not mention is tried again", async () => {
    const stage = publishing("orders");
    stage.fake.onAnswer((request, answer) => {
      if (request.operation === "SendMessageBatch") {
        (answer as { Successful: unknown[] }).Successful.length = 1;
      }
    });
    const sent = outcomes(numbers(3).map((n) => stage.publish(n)));
    await pass(5000);
    expect(await sent).toEqual(["ok", "ok", "ok"]);
    expect(stage.sizes(...SENDS)).toEqual([3, 2, 1]);
  });

  test("publishBatch has any number of messages, and a result each", async () => {
    const stage = publishing("orders");
    failing(stage, { 3: { times: 1, fault: OURS }, 14: { times: 1, fault: THEIRS } });
    const batch = stage.publisher.publishBatch(
      numbers(25).map((n) => ({ urn: n === 7 ? " " : URN, data: { n } })),
    );
    await pass(1000);
    const { results } = await batch;
    expect(results.flatMap(({ ok }, index) => (ok ? [] : [index]))).toEqual([3, 7]);
    expect(stage.sizes(...SENDS)).toEqual([10, 10, 4, 1]);
  });
});

describe("`maxInFlight`", () => {
  test.each([
    [1, "orders"],
    [3, "orders"],
    [undefined, "orders"],
    [2, "orders.fifo"],
  ])("%s: no more requests are under way (%s)", async (maxInFlight, name) => {
    const stage = publishing(name, { maxInFlight });
    const underWay = stage.slow(20);
    const sent = Promise.all(numbers(300).map((n) => stage.publish(n, `g${n % 50}`)));
    await pass(2000);
    await sent;
    expect(underWay.most).toBe(maxInFlight ?? 10);
    expect(stage.left()).toHaveLength(300);
  });

  test("100 000 at once: ten to a request, ten requests under way, each promise settled", async () => {
    let underWay = 0;
    let most = 0;
    let requests = 0;
    const stage = new Stage("orders");
    stage.fake.onRequest(async ({ input }) => {
      requests += 1;
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
      // refused, so that the fake need not keep them
      return "Entries" in input && input.Entries?.length === 10 ? throttled() : undefined;
    });
    const publisher = new SqsPublisher(stage.client, stage.url);
    const settled = await Promise.allSettled(
      numbers(100_000).map((n) => publisher.publish(URN, { n })),
    );
    expect(settled).toHaveLength(100_000);
    expect([requests, most]).toEqual([10_000, 10]);
  }, 60_000);
});

describe("FIFO", () => {
  test("one group: one request at a time, in the order of the calls", async () => {
    const stage = publishing("orders.fifo");
    const underWay = stage.slow(seededMs(1, 30));
    const sent = Promise.all(numbers(95).map((n) => stage.publish(n)));
    await pass(2000);
    await sent;
    expect(underWay.most).toBe(1);
    expect(stage.left()).toEqual(numbers(95));
  });

  test("groups do not wait for each other", async () => {
    const stage = publishing("orders.fifo");
    const { gate, open } = newGate();
    stage.fake.onRequest(({ input }) => {
      const isSlow = JSON.stringify(input).includes('"MessageGroupId":"slow"');
      return isSlow ? gate : undefined;
    });
    const slow = watch(stage.publish(0, "slow"));
    await pass();
    const behind = watch(stage.publish(1, "slow"));
    const other = stage.publish(2, "other");
    await pass(50);
    await other;
    expect([slow.state, behind.state]).toEqual(["pending", "pending"]);
    open();
    await stage.publisher.flush();
    expect(stage.left()).toEqual([2, 0, 1]);
  });

  test("what comes while an entry waits to be tried again stays behind it", async () => {
    const stage = publishing("orders.fifo");
    const dispose = stage.fake.failEntries((_, entry) =>
      "MessageGroupId" in entry && entry.MessageGroupId === "a" ? THEIRS : undefined,
    );
    const first = [stage.publish(0, "a"), stage.publish(1, "b"), stage.publish(2, "a")];
    await pass(1);
    dispose();
    const later = [stage.publish(3, "a"), stage.publish(4, "b")];
    await pass(1);
    expect(stage.left()).toEqual([1, 4]);
    await pass(1000);
    expect(await outcomes([...first, ...later])).toEqual(numbers(5).map(() => "ok"));
    expect(stage.left()).toEqual([1, 4, 0, 2, 3]);
  });

  test("an entry that a later one of its group has overtaken is not tried again", async () => {
    const stage = publishing("orders.fifo");
    let isFirst = true;
    stage.fake.failEntries((_, entry, index) => {
      if (index === 0 && "MessageBody" in entry && isFirst) return THEIRS;
      const isLone = index === 2 && isFirst;
      if (isLone) isFirst = false;
      return isLone ? THEIRS : undefined;
    });
    const sent = outcomes([stage.publish(0, "a"), stage.publish(1, "a"), stage.publish(2, "b")]);
    await pass(1000);
    expect(await sent).toEqual([THEIRS.code, "ok", "ok"]);
    expect(stage.left()).toEqual([1, 2]);
  });

  test("`batching: false` keeps the order too", async () => {
    const stage = publishing("orders.fifo", { batching: false });
    stage.slow(seededMs(2, 30));
    const sent = Promise.all(numbers(40).map((n) => stage.publish(n, `g${n % 3}`)));
    await pass(5000);
    await sent;
    for (const group of numbers(3)) {
      const ofGroup = stage.left().filter((n) => n % 3 === group);
      expect(ofGroup).toEqual(numbers(40).filter((n) => n % 3 === group));
    }
  });

  test("a group id on a standard queue orders nothing: its requests go side by side", async () => {
    const stage = publishing("orders");
    const underWay = stage.slow(20);
    const sent = Promise.all(numbers(40).map((n) => stage.publish(n, "tenant")));
    await pass(100);
    await sent;
    expect(underWay.most).toBe(4);
  });

  test.each(numbers(12))(
    "random faults, seed %i: settled once, accepted in order",
    async (seed) => {
      const random = seeded(seed);
      const linger = seed % 3 === 0 ? { batching: { lingerMs: 7 } } : {};
      const stage = publishing("orders.fifo", { maxInFlight: 1 + (seed % 5), ...linger });
      stage.slow(() => Math.floor(random() * 40));
      stage.fake.onRequest(() => (random() < 0.05 ? serviceUnavailable() : undefined));
      stage.fake.onRequest(({ input }) => {
        const tooLong = "Entries" in input && (input.Entries?.length ?? 0) > 2 && random() < 0.1;
        return tooLong ? batchRequestTooLong(2_000_000, 1_048_576) : undefined;
      });
      stage.fake.failEntries(() => {
        const dice = random();
        if (dice < 0.15) return THEIRS;
        return dice < 0.2 ? OURS : undefined;
      });
      const accepted: number[] = [];
      let settled = 0;
      const one = async (n: number): Promise<void> => {
        await after(Math.floor(n / 20) * 10);
        await stage
          .publish(n, `g${n % 4}`)
          .then(
            () => accepted.push(n),
            () => undefined,
          )
          .finally(() => {
            settled += 1;
          });
      };
      const all = Promise.all(numbers(200).map(one));
      await pass(60_000);
      await all;
      expect(settled).toBe(200);
      expect(stage.left().sort((a, b) => a - b)).toEqual(accepted.sort((a, b) => a - b));
      for (const group of numbers(4)) {
        const ofGroup = stage.left().filter((n) => n % 4 === group);
        expect(orderIn(stage, `g${group}`)).toEqual(ofGroup);
      }
    },
  );
});

describe("`flush`", () => {
  test("has nothing to wait for at first", async () => {
    await expect(publishing("orders").publisher.flush()).resolves.toBeUndefined();
  });

  test("waits for requests under way, for what waits behind them, and for second tries", async () => {
    const stage = publishing("orders", { maxInFlight: 1 });
    stage.slow(20);
    let isFirst = true;
    stage.fake.failEntries(() => {
      const isFault = isFirst;
      isFirst = false;
      return isFault ? THEIRS : undefined;
    });
    const sent = numbers(25).map((n) => stage.publish(n));
    const flushed = watch(stage.publisher.flush());
    await pass(60);
    expect(flushed.state).toBe("pending");
    await pass(1000);
    expect(flushed.state).toBe("resolved");
    await Promise.all(sent);
    expect(stage.left()).toHaveLength(25);
  });

  test("resolves though publishes fail", async () => {
    const stage = publishing("orders");
    stage.fake.onRequest(() => serviceUnavailable());
    const sent = outcomes([stage.publish(1), stage.publish(2)]);
    await stage.publisher.flush();
    expect(await sent).toEqual(["ServiceUnavailable", "ServiceUnavailable"]);
  });

  test("waits for a publish that a middleware still holds", async () => {
    const stage = publishing("orders", {
      middleware: [
        (next) => async (batch) => {
          await after(5);
          return next(batch);
        },
      ],
    });
    const sent = stage.publish(1);
    const flushed = stage.publisher.flush().then(() => stage.left());
    await pass(1000);
    await sent;
    expect(await flushed).toEqual([1]);
  });
});

function seededMs(seed: number, most: number): () => number {
  const random = seeded(seed);
  return () => Math.floor(random() * most);
}

/** The numbers of a group in the order of the calls: they were counted up. */
function orderIn(stage: Stage, group: string): number[] {
  return stage.fake
    .messages(stage.url)
    .filter(({ groupId }) => groupId === group)
    .map(({ body }) => numberOf(body))
    .sort((a, b) => a - b);
}

/** Entries with these numbers fail, so many times. */
function failing(
  stage: Stage,
  faults: Record<number, { times: number; fault: typeof OURS | typeof THEIRS }>,
): void {
  const seen = new Map<number, number>();
  stage.fake.failEntries((_, entry) => {
    const n = "MessageBody" in entry ? numberOf(entry.MessageBody ?? "") : -1;
    const times = (seen.get(n) ?? 0) + 1;
    seen.set(n, times);
    return times <= (faults[n]?.times ?? 0) ? faults[n]?.fault : undefined;
  });
}

/** What the first of so many publishes rejects with. */
async function firstError(count: number, breakIt: (stage: Stage) => unknown): Promise<object> {
  const stage = publishing("orders");
  breakIt(stage);
  const [first] = await Promise.allSettled(numbers(count).map((n) => stage.publish(n)));
  return first?.status === "rejected" ? (first.reason as object) : {};
}
