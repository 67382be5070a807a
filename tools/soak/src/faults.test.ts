import { expect, test } from "vitest";
import { type FaultKind, faultOf } from "./faults.js";
import { killsOf } from "./kills.js";
import { workOf } from "./work.js";

const numbers = Array.from({ length: 20_000 }, (_, number) => number);

function decided(seed: number): object[] {
  return numbers.slice(0, 3000).map((number) => {
    const { kind, ms, entry } = faultOf(seed, number);
    return { kind, ms, entries: [0, 1, 2].map(entry) };
  });
}

test("the seed and the number of a request decide what befalls it", () => {
  expect(decided(1)).toEqual(decided(1));
  expect(decided(1)).not.toEqual(decided(2));
});

test("every fault occurs, and most requests meet none", () => {
  const counts = new Map<FaultKind, number>();
  for (const number of numbers) {
    const { kind } = faultOf(3, number);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }

  expect([...counts.keys()].sort()).toEqual([
    "cutAfter",
    "cutBefore",
    "cutHalf",
    "cutLate",
    "delayAfter",
    "delayBefore",
    "duplicate",
    "error",
    "errorAfter",
    "halfFail",
    "hang",
    "none",
    "throttle",
  ]);
  expect((counts.get("none") ?? 0) / numbers.length).toBeGreaterThan(0.7);
});

test("entries of a batch fail applied and not applied, by either side's fault", () => {
  const faults = numbers.map((number) => faultOf(3, number).entry(number % 10));
  const seen = new Set(
    faults.map((fault) =>
      fault === undefined ? "none" : `${fault.isApplied} ${fault.code} ${fault.senderFault}`,
    ),
  );

  expect([...seen].sort()).toEqual([
    "false InternalError false",
    "false RequestThrottled true",
    "false ServiceUnavailable false",
    "none",
    "true InternalError false",
    "true RequestThrottled true",
    "true ServiceUnavailable false",
  ]);
});

test("a run has SIGKILL and SIGTERM, in the order of its messages", () => {
  const kills = killsOf(5, 4, 3000, 3);

  expect(killsOf(5, 4, 3000, 3)).toEqual(kills);
  expect(new Set(kills.slice(0, 2).map(({ signal }) => signal))).toEqual(
    new Set(["SIGKILL", "SIGTERM"]),
  );
  expect(kills.map(({ after }) => after).sort((a, b) => a - b)).toEqual(
    kills.map(({ after }) => after),
  );
});

test("a short run has every kind of message", () => {
  const kinds = new Set(numbers.slice(0, 700).map((n) => workOf(1, 0, n).kind));

  expect([...kinds].sort()).toEqual([
    "block",
    "flaky",
    "hopeless",
    "long",
    "plain",
    "poison",
    "slow",
    "unknown",
  ]);
});
