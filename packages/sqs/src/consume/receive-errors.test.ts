import { connectionReset, queueDoesNotExist, serviceUnavailable, throttled } from "fake-sqs";
import { describe, expect, test } from "vitest";
import { after, pass, seeded, useFakeClock, watch } from "../fake-clock.fixture.js";
import { SqsReceiveError } from "../index.js";
import { numbers, Stage } from "../stage.fixture.js";

useFakeClock();

const clientFault = (name: string): Error =>
  Object.assign(new Error(name), { name, $fault: "client" });

/** Each receive fails with what the function says. */
function failing(stage: Stage, errorOf: (index: number) => Error | undefined): { count: number } {
  const receives = { count: 0 };
  stage.fake.onRequest(({ operation }) => {
    if (operation !== "ReceiveMessage") return undefined;
    receives.count += 1;
    return errorOf(receives.count - 1);
  });
  return receives;
}

/** Ms between the receives. */
function waits(stage: Stage): number[] {
  const times = stage.requests("ReceiveMessage").map(({ at }) => at);
  return times.slice(1).map((at, index) => at - (times[index] ?? at));
}

async function end(consumer: { stop(): Promise<void> }, run: Promise<void>): Promise<void> {
  const stopped = consumer.stop();
  await pass(2000);
  await Promise.all([stopped, run]);
}

/** The first wait of a consumer whose receives fail. */
async function firstWait(): Promise<number | undefined> {
  const stage = new Stage("orders");
  failing(stage, serviceUnavailable);
  const consumer = stage.consumer();
  const run = consumer.run();
  await pass(1000);
  await end(consumer, run);
  return waits(stage)[0];
}

describe("a receive that fails", () => {
  test.each([
    ["a broken connection", connectionReset],
    ["an outage", serviceUnavailable],
    ["throttling", throttled],
    ["something odd", () => new Error("odd")],
  ])("%s: backoff with jitter from about 200 ms to 30 s, reported each time", async (_, error) => {
    const stage = new Stage("orders");
    const receives = failing(stage, error);
    const consumer = stage.consumer();
    const run = consumer.run();
    await pass(600_000);
    const all = waits(stage);
    expect(all[0]).toBeGreaterThanOrEqual(100);
    expect(all[0]).toBeLessThanOrEqual(310);
    all.slice(0, 7).forEach((ms, index) => {
      expect(ms).toBeGreaterThanOrEqual(100 * 2 ** index);
      expect(ms).toBeLessThanOrEqual(301 * 2 ** index);
    });
    expect(Math.max(...all)).toBeLessThanOrEqual(30_002);
    expect(all.at(-1)).toBeGreaterThanOrEqual(15_000);
    expect(stage.errors).toHaveLength(receives.count);
    expect(stage.errors.every((each) => each instanceof SqsReceiveError)).toBe(true);
    expect(stage.errors[0]).toHaveProperty("cause.message", error().message);
    await end(consumer, run);
  });

  test("the jitter differs from one consumer to the next", async () => {
    const seen = new Set<number | undefined>();
    for (const _ of numbers(8)) seen.add(await firstWait());
    expect(seen.size).toBeGreaterThan(1);
  });

  test("a success resets it", async () => {
    const stage = new Stage("orders");
    failing(stage, (index) => (index !== 6 ? serviceUnavailable() : undefined));
    const consumer = stage.consumer({ waitTimeSeconds: 1 });
    const run = consumer.run();
    await pass(30_000);
    const all = waits(stage);
    expect(all[5]).toBeGreaterThan(3000);
    expect(all[7]).toBeLessThanOrEqual(310);
    await end(consumer, run);
  });

  test("stop cuts it short", async () => {
    const stage = new Stage("orders");
    failing(stage, serviceUnavailable);
    const consumer = stage.consumer();
    const run = consumer.run();
    await pass(100_000);
    stage.fake.clearRequests();
    const stopped = watch(Promise.all([run, consumer.stop()]));
    await pass(5);
    expect(stopped.state).toBe("resolved");
    expect(stage.fake.requests).toEqual([]);
  });

  test("handlers and settling go on meanwhile", async () => {
    const stage = new Stage("orders");
    await stage.seed(numbers(3));
    failing(stage, (index) => (index > 0 ? serviceUnavailable() : undefined));
    const consumer = stage.consumer();
    const run = consumer.run();
    await pass(10_000);
    for (const call of stage.calls) call.succeed();
    await pass(100);
    expect(stage.left()).toEqual([]);
    await end(consumer, run);
  });

  test("many that fail at once are one outage: neither hammering nor a long wait", async () => {
    const stage = new Stage("orders");
    await stage.seed(numbers(300));
    let isDown = false;
    stage.fake.onRequest(async ({ operation }) => {
      if (operation !== "ReceiveMessage") return undefined;
      await after(15);
      return isDown ? connectionReset() : undefined;
    });
    const consumer = stage.consumer({ concurrency: 100 }, () => after(20));
    const run = consumer.run();
    await pass(60);
    isDown = true;
    stage.fake.clearRequests();
    await pass(3000);
    const last = stage.requests("ReceiveMessage").length;
    expect(last).toBeLessThanOrEqual(15);
    stage.fake.clearRequests();
    await pass(30_000);
    // 200 ms, doubled: no more than a handful in half a minute
    expect(stage.requests("ReceiveMessage").length).toBeLessThanOrEqual(6);
    expect(stage.requests("ReceiveMessage").length).toBeGreaterThanOrEqual(1);
    await end(consumer, run);
  });

  test.each(numbers(5))("now and then, seed %i: every message is handled", async (seed) => {
    const random = seeded(seed);
    const stage = new Stage("orders");
    await stage.seed(numbers(300));
    stage.slow(() => Math.floor(random() * 20), "ReceiveMessage");
    failing(stage, () => (random() < 0.3 ? connectionReset() : undefined));
    const consumer = stage.consumer({ concurrency: 35 }, () => after(Math.floor(random() * 30)));
    const run = consumer.run();
    for (let turn = 0; turn < 100 && stage.left().length > 0; turn += 1) await pass(1000);
    await end(consumer, run);
    expect(stage.left()).toEqual([]);
    expect(consumer.stats()).toMatchObject({ received: 300, handled: 300 });
  });
});

describe("what no waiting mends", () => {
  test.each<[string, () => Error]>([
    ["QueueDoesNotExist", queueDoesNotExist],
    [
      "AWS.SimpleQueueService.NonExistentQueue",
      () => clientFault("AWS.SimpleQueueService.NonExistentQueue"),
    ],
    ["AccessDenied", () => clientFault("AccessDenied")],
    ["AccessDeniedException", () => clientFault("AccessDeniedException")],
    ["InvalidClientTokenId", () => clientFault("InvalidClientTokenId")],
    ["UnrecognizedClientException", () => clientFault("UnrecognizedClientException")],
    ["SignatureDoesNotMatch", () => clientFault("SignatureDoesNotMatch")],
    ["ExpiredToken", () => clientFault("ExpiredToken")],
    ["RegionMissing", () => new Error("Region is missing")],
    [
      "CredentialsProviderError",
      () => Object.assign(new Error("no credentials"), { name: "CredentialsProviderError" }),
    ],
  ])("%s on the first receive: run() rejects; it can be tried again", async (name, error) => {
    const stage = new Stage("orders");
    let isBroken = true;
    const receives = failing(stage, () => (isBroken ? error() : undefined));
    const consumer = stage.consumer();
    const refused = consumer.run();
    const first = watch(refused);
    await pass();
    expect(first.state).toBe("rejected");
    await expect(refused).rejects.toMatchObject({
      name: "SqsReceiveError",
      code: name.replace("AWS.SimpleQueueService.", ""),
      message: expect.stringContaining("orders") as string,
    });
    expect(receives.count).toBe(1);
    isBroken = false;
    await stage.seed([1]);
    const run = consumer.run();
    await pass();
    stage.call(1).succeed();
    await end(consumer, run);
    expect(stage.left()).toEqual([]);
  });

  test("later it is retried like the rest", async () => {
    const stage = new Stage("orders");
    failing(stage, (index) => (index > 0 && index < 4 ? queueDoesNotExist() : undefined));
    const consumer = stage.consumer({ waitTimeSeconds: 1 });
    const run = watch(consumer.run());
    await pass(5000);
    expect(run.state).toBe("pending");
    expect(stage.errors).toHaveLength(3);
    await stage.seed([1]);
    await pass(1000);
    expect(stage.started).toEqual([1]);
  });

  test("poll() rejects for any failure", async () => {
    const stage = new Stage("orders");
    failing(stage, (index) => [queueDoesNotExist(), connectionReset()][index]);
    const consumer = stage.consumer();
    await expect(consumer.poll()).rejects.toMatchObject({
      code: "QueueDoesNotExist",
      senderFault: true,
    });
    await expect(consumer.poll()).rejects.toMatchObject({
      name: "SqsReceiveError",
      senderFault: false,
    });
    await stage.seed([1]);
    const polled = consumer.poll();
    await pass();
    stage.call(1).succeed();
    expect(await polled).toBe(1);
  });
});
