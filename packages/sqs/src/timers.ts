/** A longer setTimeout fires at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/** Resolves after so many ms, or as soon as the signal is aborted. Never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
  });
}

/** Does the promise resolve within so many ms? Leaves no timer behind. */
export async function resolvesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const done = new AbortController();
  const finished = promise.then(() => true);
  const isInTime = await Promise.race([finished, sleep(ms, done.signal).then(() => false)]);
  done.abort();
  return isInTime;
}
