/** A promise only where there is something to wait for. */
export type MaybePromise<T> = T | Promise<T>;
