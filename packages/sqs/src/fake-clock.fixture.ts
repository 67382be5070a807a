import { afterEach, beforeEach, vi } from "vitest";

/** When the fake clock starts. */
export const START = 1_750_000_000_000;

/** Every test of the file lives on a fake clock; `process.nextTick` and promises stay real. */
export function useFakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({
      now: START,
      toFake: [
        "setTimeout",
        "clearTimeout",
        "setInterval",
        "clearInterval",
        "setImmediate",
        "Date",
      ],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Lets so many ms pass. Unless told, enough for what happens at once: a faked immediate takes 1 ms. */
export async function pass(ms = 5): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** Ms since the clock started. */
export function elapsed(): number {
  return Date.now() - START;
}

/** Resolves after so many ms of the fake clock. */
export function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Whether a promise has settled, and how; for promises that a test cannot await. */
export function watch(promise: Promise<unknown>): { state: "pending" | "resolved" | "rejected" } {
  const watched: ReturnType<typeof watch> = { state: "pending" };
  promise.then(
    () => {
      watched.state = "resolved";
    },
    () => {
      watched.state = "rejected";
    },
  );
  return watched;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A promise that waits until it is opened. */
export function newGate(): { readonly gate: Promise<void>; readonly open: () => void } {
  const doors: (() => void)[] = [];
  const gate = new Promise<void>((resolve) => {
    doors.push(resolve);
  });
  return { gate, open: () => doors[0]?.() };
}
