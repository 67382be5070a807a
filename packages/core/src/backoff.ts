import { InvalidArgumentError } from "./errors.js";

/** More change nothing, but for 0 × Infinity. */
const MAX_DOUBLINGS = 60;

export interface ExponentialBackoffOptions {
  /** The upper end of the first delay, in seconds. Default 5. */
  readonly baseSeconds?: number | undefined;
  /** No delay is longer, in seconds. Default 900. */
  readonly maxSeconds?: number | undefined;
}

/**
 * Delays for `releaseDelaySeconds`: a whole number of seconds between 0 and
 * `baseSeconds × 2^attempts`, evenly spread ("full jitter"), so that messages which failed together
 * do not come back together.
 *
 * @throws {@link InvalidArgumentError} unless both are finite and not negative.
 */
export function exponentialBackoff({
  baseSeconds = 5,
  maxSeconds = 900,
}: ExponentialBackoffOptions = {}): (attempts: number) => number {
  requireSeconds("baseSeconds", baseSeconds);
  requireSeconds("maxSeconds", maxSeconds);
  return (attempts) => {
    const ceiling = Math.min(maxSeconds, baseSeconds * 2 ** Math.min(attempts, MAX_DOUBLINGS));
    return Math.floor(Math.random() * (Math.floor(ceiling) + 1));
  };
}

function requireSeconds(argument: string, seconds: number): void {
  if (!Number.isFinite(seconds) || seconds < 0) {
    throw new InvalidArgumentError(argument, `expected seconds, 0 or more, got ${seconds}`);
  }
}
