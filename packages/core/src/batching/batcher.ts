import { Lanes } from "./lanes.js";

const MAX_ITEMS = 10;
const MAX_TRIES = 3;
const FIRST_RETRY_MS = 100;
/** The longest that a few items wait for company behind requests under way. */
const MAX_WAIT_MS = 20;

/** What became of one item of a request. `TFailed` says why it failed, in the transport's terms. */
export type BatchResult<TValue, TFailed> =
  | { readonly ok: true; readonly value: TValue }
  | {
      readonly ok: false;
      readonly failed: TFailed;
      /** It may be sent once more, in a later request. */
      readonly again: boolean;
    };

export interface BatcherOptions<TItem, TValue, TFailed> {
  /**
   * Performs one request. One result an item, in their order; a request that failed as a whole is
   * best told as a failed result for each. What it throws or rejects with, `add` rejects with.
   */
  readonly request: (items: readonly TItem[]) => Promise<readonly BatchResult<TValue, TFailed>[]>;
  /**
   * How long an item waits for others, in ms. Default: no longer than the current turn (see `defer`),
   * or, while requests are under way, until one of them is answered (20 ms at most).
   */
  readonly lingerMs?: number | undefined;
  /** The most items of a request. Default 10. */
  readonly maxItems?: number | undefined;
  /** At most this many requests are under way. */
  readonly maxInFlight: number;
  /** The bytes of an item; a request holds no more than `maxBytes`. Default: not counted. */
  readonly sizeOf?: ((item: TItem) => number) | undefined;
  readonly maxBytes?: number | undefined;
  /** Items of one lane go out in order, one request at a time. Default: no order. */
  readonly laneOf?: ((item: TItem) => string | undefined) | undefined;
  /**
   * Calls back once all that runs now has run, so that what it adds travels together. Default: a
   * microtask; `process.nextTick` on Node waits for more.
   */
  readonly defer?: ((run: () => void) => void) | undefined;
}

interface Pending<TItem, TValue, TFailed> {
  readonly item: TItem;
  readonly bytes: number;
  readonly lane: string | undefined;
  readonly resolve: (result: BatchResult<TValue, TFailed>) => void;
  readonly reject: (thrown: unknown) => void;
  tries: number;
}

/**
 * Gathers items into batch requests: full ones at once, others when they have waited for company.
 * Items whose result says so are sent again, three times in all.
 */
export class Batcher<TItem, TValue, TFailed> {
  readonly #options: BatcherOptions<TItem, TValue, TFailed>;
  readonly #lanes = new Lanes<Pending<TItem, TValue, TFailed>>();
  #waiting = 0;
  /** How many of those waiting need not wait for a full batch. */
  #due = 0;
  #inFlight = 0;
  #wasAnswered = false;
  #isTurnScheduled = false;
  /** How many callers want nothing to linger now. */
  #hurries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: BatcherOptions<TItem, TValue, TFailed>) {
    this.#options = options;
  }

  /** Resolves with the item's result. Rejects only with what a function of the options throws. */
  add(item: TItem): Promise<BatchResult<TValue, TFailed>> {
    const { sizeOf, laneOf } = this.#options;
    return new Promise((resolve, reject) => {
      const bytes = sizeOf?.(item) ?? 0;
      this.#lanes.push({ item, bytes, lane: laneOf?.(item), resolve, reject, tries: 0 });
      this.#waiting += 1;
      this.#continue();
    });
  }

  /** Nothing lingers until `done` resolves: what is added meanwhile waits for the end of its turn alone. */
  hurry(done: Promise<unknown>): void {
    this.#hurries += 1;
    if (this.#waiting > 0) this.#scheduleTurn();
    const end = (): void => {
      this.#hurries -= 1;
    };
    void done.then(end, end);
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    const { defer = queueMicrotask } = this.#options;
    defer(() => {
      this.#isTurnScheduled = false;
      if (this.#hurries > 0 || this.#inFlight === 0 || this.#wasAnswered) this.#due = this.#waiting;
      this.#wasAnswered = false;
      this.#pump();
    });
  }

  #pump(): void {
    const {
      maxInFlight,
      maxItems = MAX_ITEMS,
      maxBytes = Number.POSITIVE_INFINITY,
    } = this.#options;
    while (this.#inFlight < maxInFlight) {
      const { batch, isFull } = this.#lanes.peek(maxItems, maxBytes);
      if (batch.length === 0 || !(isFull || this.#due > 0)) break;
      this.#lanes.take(batch);
      this.#waiting -= batch.length;
      this.#due = Math.max(0, this.#due - batch.length);
      void this.#send(batch);
    }
    this.#setTimer();
  }

  #setTimer(): void {
    if (this.#waiting === 0 || this.#due > 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    } else {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#due = this.#waiting;
        this.#pump();
      }, this.#options.lingerMs ?? MAX_WAIT_MS);
    }
  }

  async #send(batch: readonly Pending<TItem, TValue, TFailed>[]): Promise<void> {
    this.#inFlight += 1;
    const again = await this.#request(batch);
    this.#inFlight -= 1;
    this.#wasAnswered = true;
    const blocked = new Set(again.map(({ lane }) => lane));
    this.#lanes.free(batch.filter(({ lane }) => !blocked.has(lane)));
    this.#continue();
    if (again.length === 0) return;
    await pause(retryDelayMs(Math.max(...again.map(({ tries }) => tries))));
    this.#lanes.free(again, again);
    this.#waiting += again.length;
    this.#due += again.length;
    this.#continue();
  }

  /** Performs a request and hands the results out; returns the items that are to be sent again. */
  async #request(
    batch: readonly Pending<TItem, TValue, TFailed>[],
  ): Promise<readonly Pending<TItem, TValue, TFailed>[]> {
    try {
      const results = await this.#options.request(batch.map(({ item }) => item));
      if (results.length === batch.length) return settle(batch, results);
      throw new TypeError("A request of a batcher must give one result an item");
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown);
      return [];
    }
  }

  #continue(): void {
    if (this.#hurries > 0 || this.#options.lingerMs === undefined) this.#scheduleTurn();
    else this.#pump();
  }
}

/** Hands the results out; returns the items that are to be sent again. */
function settle<TItem, TValue, TFailed>(
  batch: readonly Pending<TItem, TValue, TFailed>[],
  results: readonly BatchResult<TValue, TFailed>[],
): readonly Pending<TItem, TValue, TFailed>[] {
  return batch.filter((pending, index) => {
    const result = results[index];
    pending.tries += 1;
    const isAgain = result?.ok === false && result.again && pending.tries < MAX_TRIES;
    if (isAgain && !isOvertaken(index, batch, results)) return true;
    if (result !== undefined) pending.resolve(result);
    return false;
  });
}

/** A later item of the same lane went through: sent again, this one would come after it. */
function isOvertaken<TItem, TValue, TFailed>(
  index: number,
  batch: readonly Pending<TItem, TValue, TFailed>[],
  results: readonly BatchResult<TValue, TFailed>[],
): boolean {
  const lane = batch[index]?.lane;
  if (lane === undefined) return false;
  return batch.some((other, at) => at > index && other.lane === lane && results[at]?.ok === true);
}

/** Exponential, with jitter, so that what failed together is not tried again together. */
function retryDelayMs(tries: number): number {
  return FIRST_RETRY_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
