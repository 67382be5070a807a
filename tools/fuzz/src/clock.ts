import { vi } from "vitest";

/** When the fake clock starts. */
const START = 1_750_000_000_000;

// kept, as the fake clock replaces the global ones
const realImmediate = setImmediate;

/** Runs a case on a fake clock and with random numbers that are the same for each run of it. */
export async function onFakeClock(run: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({
    now: START,
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "Date"],
  });
  let state = 0;
  // the library draws the jitter of its retries: a golden-ratio sequence, spread over 0 to 1
  vi.spyOn(Math, "random").mockImplementation(() => {
    state = (state + 0.618_033_988_749_895) % 1;
    return state;
  });
  try {
    await run();
  } finally {
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
}

/**
 * Lets so many ms pass, timer by timer, with all that follows from one before the next. As
 * vi.advanceTimersByTimeAsync, which waits a real ms for each timer, and so is too slow here.
 */
export async function pass(ms: number): Promise<void> {
  const end = { isReached: false };
  await settled();
  setTimeout(() => {
    end.isReached = true;
  }, ms);
  while (!end.isReached) {
    vi.advanceTimersToNextTimer();
    await settled();
  }
}

/** All promises that can go on without a timer have gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    realImmediate(resolve);
  });
}

/** Resolves after so many ms of the fake clock. */
export function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
