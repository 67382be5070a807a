import type { BatchEntry, BatchOperation, SqsRequest } from "./operations.js";

/** Returned or thrown, an error fails the request; a promise delays it. */
export type Verdict = Error | void | Promise<Error | void>;

/** Called before a request is applied. */
export type RequestHook = (request: SqsRequest) => Verdict;

/** Called after a request was applied and before its answer arrives. */
export type AnswerHook = (request: SqsRequest, answer: unknown) => Verdict;

/** How one entry of a batch fails. */
export interface EntryFault {
  readonly code: string;
  readonly senderFault: boolean;
  readonly message?: string | undefined;
}

/** Called for each entry of a batch; a fault fails this entry, which is not applied. */
export type EntryHook = (
  operation: BatchOperation,
  entry: BatchEntry,
  index: number,
) => EntryFault | undefined;

/** Hooks in the order they were added. */
export class Hooks<THook> implements Iterable<THook> {
  readonly #hooks = new Map<symbol, THook>();

  /** Adds a hook; the returned function removes it. */
  add(hook: THook): () => void {
    const key = Symbol("hook");
    this.#hooks.set(key, hook);
    return () => {
      this.#hooks.delete(key);
    };
  }

  get isEmpty(): boolean {
    return this.#hooks.size === 0;
  }

  [Symbol.iterator](): Iterator<THook> {
    return [...this.#hooks.values()][Symbol.iterator]();
  }
}

/** Asks the hooks one after another; the first error ends it. */
export async function consult<THook>(
  hooks: Hooks<THook>,
  ask: (hook: THook) => Verdict,
): Promise<void> {
  for (const hook of hooks) {
    const verdict = ask(hook);
    const error = verdict instanceof Promise ? await verdict : verdict;
    if (error instanceof Error) throw error;
  }
}
