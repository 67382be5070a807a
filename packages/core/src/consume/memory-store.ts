import { unexpected } from "../arguments.js";
import type { IdempotencyStore } from "./idempotent.js";

export interface MemoryStoreOptions {
  /** At most so many ids; the one remembered longest ago makes room. Default 10 000. */
  readonly maxEntries?: number | undefined;
  /** An id is forgotten after so many seconds. Default 86 400, a day. */
  readonly maxAgeSeconds?: number | undefined;
}

/**
 * Remembers ids in this process: for tests, and where one process consumes a queue and may forget
 * when it ends. It starts no timer; ids that are too old go as others come.
 *
 * @throws {@link InvalidArgumentError} unless `maxEntries` is a whole number from 1 and
 * `maxAgeSeconds` more than 0.
 */
export function memoryStore({
  maxEntries = 10_000,
  maxAgeSeconds = 86_400,
}: MemoryStoreOptions = {}): IdempotencyStore {
  if (!Number.isInteger(maxEntries) || maxEntries < 1) {
    throw unexpected("maxEntries", "a whole number from 1", maxEntries, String(maxEntries));
  }
  if (!(maxAgeSeconds > 0)) {
    throw unexpected("maxAgeSeconds", "more than 0", maxAgeSeconds, String(maxAgeSeconds));
  }
  /** When each id was remembered, the oldest first. */
  const times = new Map<string, number>();
  const isOld = (time: number): boolean => Date.now() - time >= maxAgeSeconds * 1000;
  return {
    seen(id) {
      const time = times.get(id);
      return time !== undefined && !isOld(time);
    },
    remember(id) {
      // a new place at the end
      times.delete(id);
      times.set(id, Date.now());
      for (const [oldest, time] of times) {
        if (times.size <= maxEntries && !isOld(time)) break;
        times.delete(oldest);
      }
    },
    forget(id) {
      times.delete(id);
    },
  };
}
