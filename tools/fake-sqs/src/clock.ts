/** The time the fake lives in. Replace both members together, or use vitest's fake timers. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Runs `callback` after `ms` milliseconds; the returned function cancels it. */
  readonly schedule: (callback: () => void, ms: number) => () => void;
}

/**
 * The global clock. `Date.now` and `setTimeout` are looked up at each call, so that fake timers
 * installed later are honoured.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule: (callback, ms) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
