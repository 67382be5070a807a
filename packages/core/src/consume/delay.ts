/** The longest that a message may be put off: 12 hours (docs/wire-contract.md §4). */
const MAX_SECONDS = 43_200;

/** A delay as the contract wants it: whole seconds, rounded down, 0 to 43 200; NaN is 0. */
export function wholeSeconds(seconds: unknown): number {
  return typeof seconds === "number" && seconds > 0
    ? Math.min(Math.floor(seconds), MAX_SECONDS)
    : 0;
}
