import { afterEach, beforeEach, vi } from "vitest";
import { Batcher, type BatcherOptions, type BatchResult } from "../transport.js";

export interface Item {
  readonly n: number;
  readonly lane?: string;
}

export type Result = BatchResult<string, string>;

/** One request that the batcher has made. */
interface Request {
  readonly items: readonly number[];
  /** Answers it, each item on its own; what follows from it has happened when this resolves. */
  readonly answer: (result?: (n: number) => Result) => Promise<void>;
}

export const sent = (n: number): Result => ({ ok: true, value: `sent ${n}` });
export const failed: Result = { ok: false, failed: "for good", again: false };
export const again: Result = { ok: false, failed: "for now", again: true };

/** A batcher whose requests wait until the test answers them. */
export function batching(options: Partial<BatcherOptions<Item, string, string>> = {}) {
  const requests: Request[] = [];
  const batcher = new Batcher<Item, string, string>({
    maxInFlight: 10,
    laneOf: ({ lane }) => lane,
    request: (items) =>
      new Promise((resolve) => {
        requests.push({
          items: items.map(({ n }) => n),
          answer: async (result = sent) => {
            resolve(items.map(({ n }) => result(n)));
            await pass(0);
          },
        });
      }),
    ...options,
  });
  const add = (...items: readonly (number | Item)[]) => {
    const added = items.map((item) => batcher.add(typeof item === "number" ? { n: item } : item));
    return { results: Promise.all(added) };
  };
  return { batcher, requests, add, items: () => requests.map((request) => request.items) };
}

/** The tests of the file live on a fake clock; promises and microtasks stay real. */
export function useFakeClock(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
}

/** Lets so many ms pass, and everything happen that follows. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}
