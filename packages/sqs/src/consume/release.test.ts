import { exponentialBackoff } from "@babelqueue/core";
import { describe, expect, test, vi } from "vitest";
import { after, pass, useFakeClock } from "../fake-clock.fixture.js";
import { type SqsConsumerOptions, SqsReleaseError } from "../index.js";
import { CHANGES, numbers, OURS, Stage } from "../stage.fixture.js";

useFakeClock();

/** Lets one message fail after so long; the seconds of its release. */
async function released(
  options: SqsConsumerOptions,
  { afterMs = 0, latencyMs = 0 } = {},
): Promise<{ stage: Stage; seconds: unknown[] }> {
  const stage = new Stage("orders", { VisibilityTimeout: 43_200 });
  await stage.seed([1]);
  if (latencyMs > 0) {
    stage.slow(latencyMs, ...CHANGES);
    stage.fake.onAnswer(({ operation }) =>
      operation === "ReceiveMessage" ? after(latencyMs) : undefined,
    );
  }
  const consumer = stage.consumer({
    concurrency: 1,
    visibilityTimeoutSeconds: 43_200,
    ...options,
  });
  void consumer.run();
  await pass(latencyMs);
  await pass(afterMs);
  stage.call(1).fail(new Error("the handler's own"));
  await pass(latencyMs + 60);
  const seconds = stage
    .requests("ChangeMessageVisibility")
    .map(({ input }) => input.VisibilityTimeout);
  return { stage, seconds };
}

describe("the delay of a release", () => {
  test.each<[string, SqsConsumerOptions["releaseDelaySeconds"], number]>([
    ["by default", undefined, 0],
    ["a number", 17, 17],
    ["no whole number", 17.9, 17],
    ["negative", -4, 0],
    ["NaN", Number.NaN, 0],
    ["a function", () => 12, 12],
    [
      "a function that fails",
      () => {
        throw new Error("no delay");
      },
      0,
    ],
  ])("%s", async (_, releaseDelaySeconds, expected) => {
    const { seconds } = await released({ releaseDelaySeconds });
    expect(seconds).toEqual([expected]);
  });

  test("a function is given the attempts and what was thrown", async () => {
    const releaseDelaySeconds = vi.fn<(attempts: number, error: unknown) => number>(() => 0);
    const { stage } = await released({ releaseDelaySeconds });
    await pass();
    stage.call(1).fail();
    await pass();
    expect(releaseDelaySeconds.mock.calls).toEqual([
      [0, expect.objectContaining({ message: "the handler's own" })],
      [1, expect.objectContaining({ message: "1 failed" })],
    ]);
  });

  test("exponentialBackoff fits", async () => {
    for (const _ of numbers(5)) {
      const { seconds } = await released({
        releaseDelaySeconds: exponentialBackoff({ baseSeconds: 3 }),
      });
      expect(seconds[0]).toBeGreaterThanOrEqual(0);
      expect(seconds[0]).toBeLessThanOrEqual(3);
    }
  });

  test.each<[string, number, number, number?]>([
    ["at once", 43_200, 0],
    ["more than SQS takes", 99_999, 0],
    ["without end", Number.POSITIVE_INFINITY, 0],
    ["after an hour", 43_200, 3_600_000],
    ["after an hour, just what remains", 39_600, 3_600_000],
    ["after an hour and a bit", 43_200, 3_600_499],
    ["at the very end", 60, 43_199_000],
    ["at once, though all is slow", 43_200, 0, 1500],
    ["after an hour, though all is slow", 43_200, 3_600_000, 1500],
  ])(
    "never exceeds what remains of the 12 hours: %s",
    async (_, releaseDelaySeconds, afterMs, latencyMs = 0) => {
      const { stage, seconds } = await released({ releaseDelaySeconds }, { afterMs, latencyMs });
      expect(stage.errors.filter((error) => error instanceof SqsReleaseError)).toEqual([]);
      const remaining = (43_200_000 - afterMs) / 1000;
      expect(seconds).toHaveLength(1);
      expect(seconds[0]).toBeLessThanOrEqual(Math.min(remaining, releaseDelaySeconds));
      expect(seconds[0]).toBeGreaterThanOrEqual(Math.min(remaining, releaseDelaySeconds) - 30);
    },
  );
});

test("a failed release does not hide the handler's error, and the message stays hidden", async () => {
  const stage = new Stage("orders", { VisibilityTimeout: 30 });
  await stage.seed([1, 2]);
  stage.fake.failEntries(() => OURS);
  const consumer = stage.consumer();
  void consumer.run();
  await pass();
  for (const call of stage.calls) call.fail();
  await pass(100);
  expect(stage.errors.map((error) => (error as Error).message)).toEqual([
    "1 failed",
    "2 failed",
    expect.stringContaining("release"),
    expect.stringContaining("release"),
  ]);
  expect(stage.left("hidden")).toEqual([1, 2]);
  expect(stage.requests(...CHANGES)).toHaveLength(1);
  await pass(31_000);
  expect(stage.started).toEqual([1, 2, 1, 2]);
});
