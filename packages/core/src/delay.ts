/** The longest that a message may be put off: 12 hours (CONTRACT.md §4). */
const MAX_SECONDS = 43_200;

/** A delay as the contract wants it: whole seconds, rounded down, 0 to 43 200; NaN is 0. */
export function wholeSeconds(seconds: unknown): number {
  if (typeof seconds !== "number" || Number.isNaN(seconds)) return 0;
  return Math.min(Math.max(Math.floor(seconds), 0), MAX_SECONDS);
}
