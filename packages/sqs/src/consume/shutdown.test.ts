import { getEventListeners } from "node:events";
import { serviceUnavailable } from "fake-sqs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { after, elapsed, pass, START, useFakeClock, watch } from "../fake-clock.fixture.js";
import { HandlerUnfinishedError, type SqsConsumer, type SqsConsumerOptions } from "../index.js";
import { CHANGES, DELETES, numbers, Stage, THEIRS } from "../stage.fixture.js";

useFakeClock();

interface Running {
  readonly consumer: SqsConsumer;
  readonly run: Promise<void>;
  /** Begins to stop; resolves when the run has ended too. */
  readonly stop: () => Promise<unknown>;
}

type Way = "stop()" | "an aborted signal" | "await using";

const WAYS: readonly Way[] = ["stop()", "an aborted signal", "await using"];

function start(stage: Stage, options: SqsConsumerOptions = {}, way: Way = "stop()"): Running {
  const consumer = stage.consumer(options);
  const controller = new AbortController();
  const run = consumer.run(controller.signal);
  const stops: Record<Way, () => Promise<unknown>> = {
    "stop()": () => Promise.all([consumer.stop(), run]),
    "an aborted signal": () => {
      controller.abort();
      return run;
    },
    "await using": () => Promise.all([consumer[Symbol.asyncDispose](), run]),
  };
  return { consumer, run, stop: stops[way] };
}

const rejections: unknown[] = [];
const onRejection = (error: unknown): void => void rejections.push(error);
beforeEach(() => {
  rejections.length = 0;
  process.on("unhandledRejection", onRejection);
});
afterEach(() => {
  process.off("unhandledRejection", onRejection);
  if (rejections.length > 0) throw new AggregateError(rejections, "unhandled rejections");
});

describe.each(WAYS)("by %s", (way) => {
  test("no new receive; the run resolves; nothing is reported", async () => {
    const stage = new Stage("orders");
    const { stop } = start(stage, {}, way);
    await pass(100);
    const stopped = watch(stop());
    await pass(1001);
    expect(stopped.state).toBe("resolved");
    await stage.seed([1]);
    await pass(60_000);
    expect(stage.fake.requests).toEqual([]);
    expect([...stage.errors, ...stage.warnings]).toEqual([]);
  });

  test("handlers end, and the deletes are flushed before it resolves", async () => {
    const stage = new Stage("orders");
    await stage.seed(numbers(3));
    const { stop, consumer } = start(stage, { settleLingerMs: 20_000 }, way);
    await pass();
    stage.call(0).succeed();
    await pass();
    const stopped = watch(stop());
    await pass(5000);
    expect(stopped.state).toBe("pending");
    stage.call(1).succeed();
    stage.call(2).fail();
    await pass();
    expect(stopped.state).toBe("resolved");
    expect(stage.left()).toEqual([2]);
    expect(stage.hiddenFor(2)).toBe(0);
    expect(consumer.stats()).toMatchObject({ handled: 2, released: 1, left: 0, inFlight: 0 });
    expect(stage.calls.some(({ signal }) => signal.aborted)).toBe(false);
  });

  test("the consumer can be run again", async () => {
    const stage = new Stage("orders");
    const { stop, consumer } = start(stage, {}, way);
    await pass(100);
    void stop();
    await pass(1001);
    for (const n of numbers(3)) {
      await stage.seed([n]);
      const run = consumer.run();
      await pass();
      stage.call(n).succeed();
      const again = consumer.stop();
      await pass(1001);
      await Promise.all([run, again]);
    }
    expect(stage.left()).toEqual([]);
    expect(consumer.stats()).toMatchObject({ received: 3, handled: 3, inFlight: 0 });
  });
});

describe("the open long poll", () => {
  test.each([
    [undefined, 1000],
    [300, 300],
    [0, 0],
  ])("is aborted after pollGraceMs (%s)", async (pollGraceMs, expected) => {
    const stage = new Stage("orders");
    const { stop } = start(stage, { pollGraceMs });
    await pass(100);
    const stopped = watch(stop());
    await pass(Math.max(0, expected - 1));
    expect(stopped.state).toBe(expected === 0 ? "resolved" : "pending");
    await pass(2);
    expect(stopped.state).toBe("resolved");
    await stage.seed([1]); // nobody is there to take it
    expect(stage.left("visible")).toEqual([1]);
  });

  test("may end by itself before", async () => {
    const stage = new Stage("orders");
    const { stop } = start(stage, { waitTimeSeconds: 1 });
    await pass(700);
    const stopped = watch(stop());
    await pass(302);
    expect(stopped.state).toBe("resolved");
  });

  test.each(["orders", "orders.fifo"])(
    "what it brings meanwhile is released at once, with delay 0 (%s)",
    async (name) => {
      const stage = new Stage(name);
      const { stop, consumer } = start(stage, { releaseDelaySeconds: 60, settleLingerMs: 5000 });
      await pass(100);
      void stop();
      await pass(500);
      await stage.seed([1, 2], name === "orders" ? undefined : () => "g");
      await pass();
      expect(stage.started).toEqual([]);
      expect(stage.left("visible")).toEqual([1, 2]);
      expect(consumer.stats()).toMatchObject({ handled: 0, inFlight: 0 });
      expect(stage.errors).toEqual([]);
    },
  );

  test("what it brings is released also while handlers go on", async () => {
    const stage = new Stage("orders");
    await stage.seed([1]);
    const { stop } = start(stage, { settleLingerMs: 5000 });
    await pass(100);
    void stop();
    await pass(500);
    await stage.seed([2]);
    await pass(100);
    expect(stage.left("visible")).toEqual([2]);
    stage.call(1).succeed();
    await pass(2000);
    expect(stage.left()).toEqual([2]);
  });

  test("a receive that fails meanwhile is no error of the stop", async () => {
    const stage = new Stage("orders");
    stage.fake.onRequest(async ({ operation }) => {
      if (operation !== "ReceiveMessage") return undefined;
      await after(5000);
      return serviceUnavailable();
    });
    const { stop } = start(stage);
    await pass(4500);
    const stopped = watch(stop());
    await pass(1500);
    expect(stopped.state).toBe("resolved");
    expect(stage.fake.requests).toHaveLength(1);
  });
});

describe("what was not started (FIFO)", () => {
  test.each([
    [50, 5],
    [20_000, 0],
  ])(
    "is released at once with delay 0, whatever settleLingerMs (%i) and releaseDelaySeconds (%i)",
    async (settleLingerMs, releaseDelaySeconds) => {
      const stage = new Stage("orders.fifo");
      await stage.seed(numbers(4), () => "g");
      const { stop, consumer } = start(stage, {
        settleLingerMs,
        releaseDelaySeconds,
        concurrency: 4, // so that no long poll of ours takes them again
      });
      await pass();
      void stop();
      await pass(100);
      const timeouts = stage
        .requests("ChangeMessageVisibilityBatch")
        .map(({ input }) => input.Entries?.map((entry) => entry.VisibilityTimeout));
      expect(timeouts).toEqual([[0, 0, 0]]);
      stage.call(0).succeed();
      await pass(2000);
      expect(stage.started).toEqual([0]);
      expect(stage.left("visible")).toEqual([1, 2, 3]);
      expect(consumer.stats()).toMatchObject({ handled: 1, released: 3 });
    },
  );
});

describe("handlers get shutdownTimeoutMs", () => {
  test.each([
    [undefined, 30_000],
    [5000, 5000],
    [0, 0],
  ])(
    "(%s) before context.signal aborts; 1 s later all is over",
    async (shutdownTimeoutMs, expected) => {
      const stage = new Stage("orders", { VisibilityTimeout: 600 });
      await stage.seed([1, 2]);
      const { stop, consumer } = start(stage, { shutdownTimeoutMs, pollGraceMs: 0 });
      await pass();
      const stopped = watch(stop());
      await pass(Math.max(0, expected - 1));
      expect(stage.call(1).signal.aborted).toBe(expected === 0);
      await pass(1);
      expect(stage.call(1).signal.aborted).toBe(true);
      expect(stopped.state).toBe("pending");
      await pass(997);
      expect(stopped.state).toBe("pending");
      await pass(5);
      expect(stopped.state).toBe("resolved");
      expect(stage.errors).toEqual([
        expect.any(HandlerUnfinishedError),
        expect.any(HandlerUnfinishedError),
      ]);
      expect(consumer.stats()).toMatchObject({ left: 2, inFlight: 0 });
      expect(stage.left("hidden")).toEqual([1, 2]);
    },
  );

  test("what a handler does after all was over changes nothing", async () => {
    const stage = new Stage("orders", { VisibilityTimeout: 600 });
    await stage.seed([1, 2]);
    const { stop, consumer } = start(stage, { shutdownTimeoutMs: 0, pollGraceMs: 0 });
    await pass();
    void stop();
    await pass(1100);
    stage.fake.clearRequests();
    const stats = consumer.stats();
    stage.errors.length = 0;
    stage.call(1).succeed();
    stage.call(2).fail();
    await pass(5000);
    expect(stage.fake.requests).toEqual([]);
    expect(consumer.stats()).toEqual(stats);
  });

  test("one that heeds the signal and succeeds is deleted", async () => {
    const stage = new Stage("orders");
    await stage.seed([1]);
    const { stop } = start(stage, { shutdownTimeoutMs: 5000 });
    await pass();
    stage.call(1).signal.addEventListener("abort", () => stage.call(1).succeed());
    const stopped = watch(stop());
    await pass(5010);
    expect(stopped.state).toBe("resolved");
    expect(stage.left()).toEqual([]);
    expect(stage.errors).toEqual([]);
  });

  test("one that heeds the signal and fails is released, not hidden for minutes", async () => {
    const stage = new Stage("orders", { VisibilityTimeout: 600 });
    await stage.seed([1]);
    const { stop, consumer } = start(stage, { shutdownTimeoutMs: 5000 });
    await pass();
    stage.call(1).signal.addEventListener("abort", () => stage.call(1).fail());
    const stopped = watch(stop());
    await pass(5010);
    expect(stopped.state).toBe("resolved");
    expect(stage.left("visible")).toEqual([1]);
    expect(consumer.stats()).toMatchObject({ released: 1, left: 0 });
  });

  test("the heartbeat goes on meanwhile, and ends with it", async () => {
    const stage = new Stage("orders");
    await stage.seed([1]);
    const { stop } = start(stage, {
      heartbeat: true,
      visibilityTimeoutSeconds: 10,
      shutdownTimeoutMs: 25_000,
    });
    await pass();
    void stop();
    await pass(24_000);
    expect(stage.requests(...CHANGES).length).toBeGreaterThanOrEqual(4);
    expect(stage.left("hidden")).toEqual([1]);
    await pass(3000);
    stage.fake.clearRequests();
    await pass(30_000);
    expect(stage.requests(...CHANGES)).toEqual([]);
  });

  test("an onError that never ends does not hold it up", async () => {
    const stage = new Stage("orders");
    await stage.seed([1, 2, 3]);
    stage.fake.onRequest(({ operation }) =>
      operation === "DeleteMessage" ? serviceUnavailable() : undefined,
    );
    const { stop } = start(stage, {
      shutdownTimeoutMs: 1000,
      onError: () => new Promise(() => undefined),
    });
    await pass();
    stage.call(1).succeed();
    await pass(100);
    stage.call(2).fail();
    const stopped = watch(stop());
    await pass(10_000);
    expect(stopped.state).toBe("resolved");
  });

  test.each(["orders", "orders.fifo"])(
    "a message whose handler never ended can be handled in the next run (%s)",
    async (name) => {
      const stage = new Stage(name, { VisibilityTimeout: 20 });
      await stage.seed([1, 2], name === "orders" ? undefined : () => "g");
      const { stop, consumer } = start(stage, { shutdownTimeoutMs: 0, pollGraceMs: 0 });
      await pass();
      void stop();
      await pass(1100);
      const run = consumer.run();
      await pass(21_000);
      stage.calls.splice(0, name === "orders" ? 2 : 1); // those of the first run, that never end
      stage.call(1).succeed();
      await pass();
      stage.call(2).succeed();
      const stopped = consumer.stop();
      await pass(3000);
      await Promise.all([run, stopped]);
      expect(stage.left()).toEqual([]);
    },
  );
});

describe("deletes and releases are never cancelled", () => {
  test.each([DELETES, CHANGES])(
    "slow or failing ones are waited for (%s)",
    async (...operations) => {
      const stage = new Stage("orders");
      await stage.seed(numbers(3));
      stage.slow(4000, ...operations);
      let faults = 2;
      stage.fake.failEntries(() => (faults-- > 0 ? THEIRS : undefined));
      const { stop } = start(stage, { shutdownTimeoutMs: 100, pollGraceMs: 0 });
      await pass();
      for (const call of stage.calls)
        call[operations[0] === "DeleteMessage" ? "succeed" : "fail"]();
      const stopped = watch(stop());
      await pass(7000);
      expect(stopped.state).toBe("pending");
      await pass(2000);
      expect(stopped.state).toBe("resolved");
      expect(stage.left("hidden")).toEqual([]);
      expect(stage.sizes(...operations)).toEqual([3, 2]);
    },
  );
});

describe("calls of stop and run in any order", () => {
  test("stop without a run, twice, and after the end", async () => {
    const consumer = new Stage("orders").consumer();
    await Promise.all([consumer.stop(), consumer.stop()]);
    await consumer.stop();
    await expect(consumer[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  test("a signal that was aborted before: nothing is received", async () => {
    const stage = new Stage("orders");
    await stage.consumer().run(AbortSignal.abort());
    expect(stage.fake.requests).toEqual([]);
    expect(await stage.consumer().poll(AbortSignal.abort())).toBe(0);
    expect(stage.fake.requests).toEqual([]);
  });

  test("stop in the tick of run", async () => {
    const stage = new Stage("orders");
    const { stop } = start(stage);
    const stopped = watch(stop());
    await pass(1100);
    expect(stopped.state).toBe("resolved");
  });

  test("a second run beside the first is refused, and the first goes on", async () => {
    const stage = new Stage("orders");
    const { consumer, stop } = start(stage);
    await expect(consumer.run()).rejects.toThrow("runs already");
    await stage.seed([1]);
    await pass();
    stage.call(1).succeed();
    const stopped = watch(stop());
    await pass(1100);
    expect(stopped.state).toBe("resolved");
  });

  test("a run that begins while the former stops waits for it, and then receives", async () => {
    const stage = new Stage("orders");
    const consumer = stage.consumer();
    const polled = consumer.poll();
    await pass(10);
    void consumer.stop();
    const run = consumer.run();
    await pass(1500);
    await stage.seed([1]);
    await pass();
    stage.call(1).succeed();
    const stopped = consumer.stop();
    await pass(1100);
    await Promise.all([polled, run, stopped]);
    expect(stage.left()).toEqual([]);
  });

  test("stopped means that it can run again", async () => {
    const stage = new Stage("orders");
    const { consumer } = start(stage);
    const stopped = consumer.stop();
    await pass(1100);
    await stopped;
    const run = consumer.run();
    await stage.seed([1]);
    await pass();
    stage.call(1).succeed();
    const ended = Promise.all([run, consumer.stop()]);
    await pass(1100);
    await ended;
    expect(stage.left()).toEqual([]);
  });

  test("a run begun while another one ends waits for it, and a third is refused", async () => {
    const stage = new Stage("orders");
    const { consumer } = start(stage);
    void consumer.stop();
    const run = consumer.run();
    await expect(consumer.run()).rejects.toThrow("runs already");
    await pass(1100);
    await stage.seed([1]);
    await pass();
    stage.call(1).succeed();
    const ended = Promise.all([run, consumer.stop()]);
    await pass(1100);
    await ended;
    expect(stage.left()).toEqual([]);
  });

  test("a stop ends such a run too", async () => {
    const stage = new Stage("orders");
    const consumer = stage.consumer();
    const polled = consumer.poll();
    await pass(10);
    void consumer.stop();
    const run = watch(consumer.run());
    const stopped = watch(consumer.stop());
    await pass(5000);
    expect([run.state, stopped.state]).toEqual(["resolved", "resolved"]);
    await polled;
  });

  test("stop ends a poll: what is in hand is settled", async () => {
    const stage = new Stage("orders");
    await stage.seed([1]);
    const consumer = stage.consumer();
    const polled = consumer.poll();
    await pass();
    const stopped = consumer.stop();
    stage.call(1).succeed();
    await pass(100);
    await stopped;
    expect(await polled).toBe(1);
    expect(stage.left()).toEqual([]);
  });

  test("a poll ends with a stop even if its handler never does", async () => {
    const stage = new Stage("orders");
    await stage.seed([1]);
    const consumer = stage.consumer({ shutdownTimeoutMs: 100 });
    const polled = watch(consumer.poll());
    await pass();
    void consumer.stop();
    await pass(2000);
    expect(polled.state).toBe("resolved");
  });

  test("its signal ends a poll that waits for messages, or for a slot", async () => {
    const stage = new Stage("orders");
    const consumer = stage.consumer({ concurrency: 1 });
    const first = new AbortController();
    const waiting = consumer.poll(first.signal);
    await pass(100);
    first.abort();
    expect(await waiting).toBe(0);
    await stage.seed([1]);
    const busy = consumer.poll();
    await pass();
    const second = new AbortController();
    const behind = watch(consumer.poll(second.signal));
    await pass();
    second.abort();
    await pass();
    expect(behind.state).toBe("resolved");
    stage.call(1).succeed();
    await busy;
  });

  test("two stops by turns with messages in hand lose nothing", async () => {
    const stage = new Stage("orders", { VisibilityTimeout: 30 });
    await stage.seed(numbers(40));
    const consumer = stage.consumer({ concurrency: 4, pollGraceMs: 0 }, () => after(70));
    for (let turn = 0; turn < 40 && stage.left().length > 0; turn += 1) {
      const run = consumer.run();
      await pass(50);
      const stopped = consumer.stop();
      await pass(100);
      await Promise.all([run, stopped]);
      expect(stage.left("hidden")).toEqual([]);
    }
    expect(stage.left()).toEqual([]);
    expect(consumer.stats()).toMatchObject({ handled: 40, left: 0, failedDeletes: 0 });
  });
});

describe("no listeners pile up", () => {
  test("on the signal of a run, nor on those that receives are given", async () => {
    const warned = vi.spyOn(process, "emitWarning");
    const stage = new Stage("orders");
    const signals = new Set<AbortSignal>();
    const send = stage.client.send.bind(stage.client);
    stage.client.send = ((command: never, options?: { abortSignal?: AbortSignal }) => {
      if (options?.abortSignal) signals.add(options.abortSignal);
      return send(command);
    }) as typeof send;
    const consumer = stage.consumer({ waitTimeSeconds: 0, concurrency: 100 }, () => undefined);
    const { signal, abort } = controllerOf();
    const run = consumer.run(signal);
    let most = 0;
    for (const n of numbers(60)) {
      await stage.seed(numbers(20).map((index) => n * 20 + index));
      await pass(250);
      most = Math.max(most, getEventListeners(signal, "abort").length);
    }
    expect(stage.left()).toEqual([]);
    expect(most).toBeLessThanOrEqual(1);
    expect(signals.size).toBeGreaterThan(60);
    for (const each of signals) expect(getEventListeners(each, "abort")).toEqual([]);
    abort();
    await pass(1000);
    await run;
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(
      warned.mock.calls.filter(([warning]) => String(warning).includes("MaxListeners")),
    ).toEqual([]);
    warned.mockRestore();
  });

  test("on the signal of many polls and runs", async () => {
    const stage = new Stage("orders");
    const consumer = stage.consumer({ waitTimeSeconds: 0 });
    const { signal } = controllerOf();
    for (const _ of numbers(30)) {
      await consumer.poll(signal);
      const run = consumer.run(signal);
      const stopped = consumer.stop();
      await pass(10);
      await Promise.all([run, stopped]);
    }
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("and no timer is left", async () => {
    const stage = new Stage("orders");
    await stage.seed(numbers(5));
    const { stop } = start(stage, { heartbeat: true, visibilityTimeoutSeconds: 10 });
    await pass(6000);
    for (const call of stage.calls) call.succeed();
    await pass(100);
    void stop();
    await pass(1100);
    expect(vi.getTimerCount()).toBe(0);
    expect(elapsed()).toBe(Date.now() - START);
  });
});

function controllerOf(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
