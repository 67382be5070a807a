import type { SQSClient } from "@aws-sdk/client-sqs";
import { describe, expect, test, vi } from "vitest";
import { elapsed, pass, useFakeClock, watch } from "../fake-clock.fixture.js";
import { HandlerUnfinishedError, SqsDeadLetterError, SqsReleaseError } from "../index.js";
import type { LambdaContext } from "../lambda.js";
import { THEIRS } from "../stage.fixture.js";
import { contextOf, LambdaStage } from "./lambda.fixture.js";

useFakeClock();

const never = (): Promise<void> => new Promise(() => undefined);

async function setUp(seed: readonly number[], name = "orders"): Promise<LambdaStage> {
  const stage = new LambdaStage(name, { VisibilityTimeout: 60 });
  await stage.seed(seed, name.endsWith(".fifo") ? () => "g" : undefined);
  return stage;
}

describe("1 s before the time runs out", () => {
  test("the signal aborts; what is unfinished is reported and comes back; the rest is done", async () => {
    const stage = await setUp([1, 2, 3]);
    const invoked = stage.invoke(stage.function({ client: stage.client }), contextOf(10_000));
    const watched = watch(invoked);
    await pass();
    stage.call(1).succeed();
    stage.call(2).fail();
    await pass(8_990);
    expect(stage.call(3).signal.aborted).toBe(false);
    expect(watched.state).toBe("pending");
    await pass(5);
    expect(stage.call(3).signal.aborted).toBe(true);
    expect(stage.call(3).signal.reason).toBeInstanceOf(Error);
    expect(watched.state).toBe("resolved");
    expect((await invoked).back).toEqual([2, 3]);
    expect(stage.errors).toEqual([expect.any(Error), expect.any(HandlerUnfinishedError)]);
    expect(String(stage.errors[1])).toContain("raise the function's timeout");
    expect(stage.hiddenFor(3), "left").toBeGreaterThan(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("what a handler still does changes nothing", async () => {
    const stage = await setUp([1, 2]);
    const invoked = stage.invoke(stage.function({ client: stage.client }), contextOf(3000));
    await pass(2001);
    stage.call(1).succeed();
    stage.call(2).fail();
    await pass(5000);
    expect((await invoked).back).toEqual([1, 2]);
    expect(stage.requests("ChangeMessageVisibility")).toEqual([]);
  });

  test("a handler that fails because of the signal is unfinished", async () => {
    const stage = await setUp([1]);
    const handler = stage.function({ client: stage.client }, (_, __, { signal }) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    const invoked = stage.invoke(handler, contextOf(3000));
    await pass(2001);
    expect((await invoked).back).toEqual([1]);
    expect(stage.errors).toContainEqual(expect.any(HandlerUnfinishedError));
    expect(stage.hiddenFor(1)).toBeGreaterThan(0);
  });

  test("a FIFO group: its followers are not started", async () => {
    const stage = await setUp([1, 2, 3], "orders.fifo");
    const invoked = stage.invoke(stage.function({ client: stage.client }), contextOf(3000));
    await pass();
    stage.call(1).succeed();
    await pass(2001);
    expect((await invoked).back).toEqual([2, 3]);
    expect(stage.started).toEqual([1, 2]);
    expect(stage.errors).toEqual([expect.any(HandlerUnfinishedError)]);
  });

  test.each([
    ["has no time", 500],
    ["has none left", 0],
    ["is over", -20],
  ])("an invocation that %s from the start answers at once", async (_, ms) => {
    const stage = await setUp([1]);
    const invoked = stage.invoke(stage.function(), contextOf(ms));
    await pass(2);
    expect((await invoked).back).toEqual([1]);
    expect(stage.errors).toEqual([expect.any(HandlerUnfinishedError)]);
  });
});

describe("requests under way", () => {
  test.each([
    ["that is answered in time is done", 1900, 0],
    ["that is not is reported, and the message comes back", 2100, 1],
  ])("a write to the dead-letter queue %s", async (_, latencyMs, back) => {
    const stage = new LambdaStage("orders");
    await stage.seed([1], undefined, "urn:unknown");
    const handler = stage.function({
      client: stage.client,
      deadLetterQueueUrl: stage.fake.createQueue("orders-dlq"),
      unknownUrnStrategy: "dead_letter",
    });
    stage.slow(latencyMs, "SendMessage");
    const invoked = stage.invoke(handler, contextOf(3000));
    await pass(2005);
    expect(elapsed()).toBeLessThan(2500);
    expect((await invoked).back).toHaveLength(back);
    expect(stage.errors.filter((error) => error instanceof SqsDeadLetterError)).toHaveLength(back);
    expect(stage.errors).toHaveLength(back);
    await pass(1000);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a release that is not answered is reported", async () => {
    const stage = await setUp([1]);
    stage.hold("ChangeMessageVisibility");
    const invoked = stage.invoke(stage.function({ client: stage.client }), contextOf(3000));
    await pass();
    stage.call(1).fail();
    await pass(2000);
    expect((await invoked).back).toEqual([1]);
    expect(stage.errors.slice(1)).toEqual([expect.any(SqsReleaseError)]);
    expect(stage.errors[1]).toMatchObject({ code: expect.stringMatching(/NoAnswer|AbortError/) });
  });

  test("a client that heeds no signal holds nothing up", async () => {
    const stage = await setUp([1]);
    const client = { send: never } as unknown as SQSClient;
    const invoked = stage.invoke(stage.function({ client }), contextOf(3000));
    await pass();
    stage.call(1).fail();
    await pass(2000);
    expect((await invoked).back).toEqual([1]);
    expect(stage.errors[1]).toMatchObject({ name: "SqsReleaseError", code: "NoAnswer" });
  });

  test("nothing is tried again after the answer", async () => {
    const stage = await setUp([1, 2]);
    stage.fake.failEntries(() => THEIRS);
    const invoked = stage.invoke(stage.function({ client: stage.client }), contextOf(3000));
    await pass(1990);
    for (const call of stage.calls) call.fail();
    await pass(15);
    expect((await invoked).back).toEqual([1, 2]);
    const before = stage.fake.requests.length;
    await pass(10_000);
    expect(stage.fake.requests).toHaveLength(before);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("hooks that never settle", () => {
  test("are not waited for beyond half of the last second", async () => {
    const stage = await setUp([1]);
    const invoked = stage.invoke(stage.function({ onError: never }), contextOf(3000));
    const watched = watch(invoked);
    await pass(2400);
    expect(watched.state).toBe("pending");
    await pass(110);
    expect((await invoked).back).toEqual([1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("do not keep a message from coming back, when a handler failed", async () => {
    const stage = await setUp([1, 2]);
    const invoked = stage.invoke(stage.function({ onError: never }), contextOf(3000));
    await pass();
    stage.call(1).fail();
    stage.call(2).succeed();
    await pass(2600);
    expect((await invoked).back).toEqual([1]);
  });
});

test.each<[string, LambdaContext | undefined]>([
  ["no context", undefined],
  ["a context without a clock", {} as LambdaContext],
  ["a clock that tells nothing", { getRemainingTimeInMillis: () => Number.NaN }],
  ["a clock without end", { getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY }],
  ["15 minutes", { getRemainingTimeInMillis: () => 900_000 }],
  ["a month", { getRemainingTimeInMillis: () => 2_592_000_000 }],
])("%s: handlers are waited for, and no timer is left", async (_, context) => {
  const stage = await setUp([1]);
  const invoked = stage.invoke(stage.function(), context);
  const watched = watch(invoked);
  await pass(800_000);
  expect(watched.state).toBe("pending");
  stage.call(1).succeed();
  await pass();
  expect((await invoked).back).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("each message has a signal of its own: many handlers listen without a warning", async () => {
  const stage = await setUp([1, 2]);
  const invoked = stage.invoke(stage.function(), contextOf(3000));
  await pass();
  expect(stage.call(1).signal).not.toBe(stage.call(2).signal);
  for (const call of stage.calls) call.succeed();
  await invoked;
});
