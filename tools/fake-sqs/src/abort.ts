/** The error the AWS SDK rejects with when the caller's signal aborts a request. */
export function abortError(): Error {
  const error = new Error("Request aborted");
  error.name = "AbortError";
  return error;
}

/** Throws an `AbortError` if the signal has been aborted already. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError();
}

/**
 * Settles as `work` does, but rejects with an `AbortError` as soon as `signal` aborts. The listener
 * is removed in either case, so that a signal shared by many requests does not gather them.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(abortError());
    signal.addEventListener("abort", onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
