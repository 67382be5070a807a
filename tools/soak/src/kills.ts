import type { Signal } from "./consumers.js";
import { between, randomFor } from "./random.js";

export interface Kill {
  /** When so many messages are deleted. */
  after: number;
  signal: Signal;
  /** Whom it befalls. */
  slots: readonly number[];
  /** Until they are started again. */
  pauseMs: number;
}

/**
 * Who is killed or stopped, how, and when: the seed decides. Both signals are among them, if there
 * are two; now and then every consumer is hit at once.
 */
export function killsOf(seed: number, count: number, messages: number, slots: number): Kill[] {
  const random = randomFor(seed, 6);
  const all = Array.from({ length: slots }, (_, slot) => slot);
  return Array.from({ length: count }, (_, index) => {
    const isKill = index < 2 ? index === seed % 2 : random() < 0.5;
    return {
      // spread over the run, its last tenth spared
      after: Math.floor(((index + random()) / count) * messages * 0.9),
      signal: isKill ? "SIGKILL" : "SIGTERM",
      slots: index % 6 === 5 ? all : [between(random, 0, slots - 1)],
      pauseMs: between(random, 0, 600),
    };
  });
}
