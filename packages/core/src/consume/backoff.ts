import { requireOneOf, unexpected } from "../arguments.js";

export interface ExponentialBackoffOptions {
  /** The first delay, in seconds. Default 5. */
  readonly baseSeconds?: number | undefined;
  /** What each attempt multiplies the delay by, 1 or more. Default 2. */
  readonly multiplier?: number | undefined;
  /** No delay is longer, in seconds; 0 sets no limit. Default 900. */
  readonly maxSeconds?: number | undefined;
  /**
   * `full`: a whole number of seconds between 0 and the delay, evenly spread, so that messages which
   * failed together do not come back together. `none`: the delay itself. Default `full`.
   */
  readonly jitter?: "full" | "none" | undefined;
}

/**
 * Delays for `releaseDelaySeconds`: `baseSeconds × multiplier^attempts`, as in the other SDKs.
 *
 * @throws {@link InvalidArgumentError} for an option that is out of its range.
 */
export function exponentialBackoff({
  baseSeconds = 5,
  multiplier = 2,
  maxSeconds = 900,
  jitter = "full",
}: ExponentialBackoffOptions = {}): (attempts: number) => number {
  requireFrom(0, "baseSeconds", baseSeconds);
  requireFrom(1, "multiplier", multiplier);
  requireFrom(0, "maxSeconds", maxSeconds);
  requireOneOf("jitter", ["full", "none"], jitter);
  return (attempts) => {
    // 0 × Infinity is no number
    const grown = baseSeconds && baseSeconds * multiplier ** attempts;
    const delay = Math.min(maxSeconds || Number.POSITIVE_INFINITY, grown);
    return jitter === "none" ? delay : Math.floor(Math.random() * (Math.floor(delay) + 1));
  };
}

function requireFrom(least: number, argument: string, value: number): void {
  if (Number.isFinite(value) && value >= least) return;
  throw unexpected(argument, `a number, ${least} or more`, value, String(value));
}
