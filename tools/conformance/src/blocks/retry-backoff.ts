import { exponentialBackoff } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";

interface Case {
  readonly name: string;
  readonly retry_backoff: number;
  readonly retry_backoff_multiplier: number;
  readonly retry_backoff_max: number;
  readonly retry_jitter: "full" | "none";
  /** The attempt that failed, the first is 1. */
  readonly n: number;
  readonly expect_delay_seconds?: number;
  readonly expect_delay_range_seconds?: { readonly min: number; readonly max: number };
}

const DRAWS = 25;

export const retryBackoff = block<{ readonly cases: readonly Case[] }>({
  key: "retry_backoff",
  subject: "exponentialBackoff",
  define: ({ cases }) => {
    test.each(cases)("$name", (given) => {
      const delayOf = exponentialBackoff({
        baseSeconds: given.retry_backoff,
        multiplier: given.retry_backoff_multiplier,
        maxSeconds: given.retry_backoff_max,
        jitter: given.retry_jitter,
      });
      const { expect_delay_seconds: exact, expect_delay_range_seconds: range } = given;
      const { min, max } = range ?? { min: exact, max: exact };
      if (min === undefined || max === undefined) throw new Error("The case expects no delay");
      for (let draw = 0; draw < DRAWS; draw += 1) {
        const delay = delayOf(given.n - 1);
        expect(delay).toBeGreaterThanOrEqual(min);
        expect(delay).toBeLessThanOrEqual(max);
      }
    });
  },
});
