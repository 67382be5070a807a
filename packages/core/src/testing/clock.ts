import { InvalidArgumentError } from "../errors.js";

/** A clock that stands still until it is told to go on: tests of retries and delays wait for nothing. */
export class ManualClock {
  #now: number;
  readonly #listeners = new Set<() => void>();

  /** `startAtMs`: Unix milliseconds. Default 0. */
  constructor(startAtMs = 0) {
    this.#now = startAtMs;
  }

  /** The time in Unix milliseconds. */
  now(): number {
    return this.#now;
  }

  /**
   * Lets time pass. Whoever listens has been told when this returns.
   *
   * @throws `InvalidArgumentError` for a number that is negative or not finite.
   */
  advance(seconds: number): void {
    if (!Number.isFinite(seconds) || seconds < 0) {
      throw new InvalidArgumentError("seconds", `expected seconds, 0 or more, got ${seconds}`);
    }
    this.#now += seconds * 1000;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls `listener` whenever time has passed, until the returned function is called. */
  onAdvance(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
