import * as fc from "fast-check";
import { inject, test } from "vitest";

/** Of about 2000 cases, how many each property gets: those that cost little get more. */
const SHARES = {
  "encode and decode are each other's inverse": 150,
  "decode refuses any text with an InvalidEnvelopeError or takes it": 150,
  "decode refuses a mutated envelope with an InvalidEnvelopeError or takes it": 150,
  "decode reads what JSON.parse reads, and large integers exactly": 150,
  "an amendment changes what it names and no other byte": 200,
  "a copy holds the whole body, and one block that says why": 150,
  "the gate lets pass what the contract lets pass": 100,
  "no handler sees a gated message, and no hook its envelope": 50,
  "the attributes are those of the contract, as far as SQS takes them": 150,
  "a dead-lettered copy carries the attributes of the contract": 100,
  "every publish settles, and a group is accepted in the order of the calls": 150,
  "nothing is lost, nothing settled twice, and groups keep their order: a standard queue": 350,
  "nothing is lost, nothing settled twice, and groups keep their order: a FIFO queue": 350,
} as const;

const SUM = Object.values<number>(SHARES).reduce((sum, share) => sum + share, 0);
const MS_PER_CASE = 1000;

/**
 * A test that holds the predicate to its share of random cases. A failure names the seed and the
 * smallest counterexample; the same seed and number of cases give the same cases.
 */
export function property<TValues extends [unknown, ...unknown[]]>(
  name: keyof typeof SHARES,
  arbitraries: { readonly [K in keyof TValues]: fc.Arbitrary<TValues[K]> },
  predicate: (...values: TValues) => void | Promise<void>,
): void {
  const { seed, cases } = inject("fuzz");
  const numRuns = Math.ceil((cases * SHARES[name]) / SUM);
  const body = (): Promise<void> =>
    fc.assert(
      fc.asyncProperty<TValues>(...arbitraries, async (...values) => predicate(...values)),
      { seed, numRuns, includeErrorInReport: true },
    );
  // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the properties expect
  test(`${name} (${numRuns} cases)`, body, 60_000 + numRuns * MS_PER_CASE);
}
