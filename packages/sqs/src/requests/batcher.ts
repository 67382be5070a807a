import { sleep } from "../timers.js";
import { Lanes } from "./lane.js";
import { type EntryResult, failedWhole, UNANSWERED } from "./result.js";

/** SQS takes no more entries, and no more bytes, in a batch. */
const MAX_ENTRIES = 10;
const MAX_TRIES = 3;
const FIRST_RETRY_MS = 100;
/** The longest that a few entries wait for company behind requests under way. */
const MAX_WAIT_MS = 20;

export interface BatcherOptions<TEntry, TValue> {
  /**
   * Performs one request. One result an entry, in their order; throws where the request failed as a
   * whole (the client has retried it by then).
   */
  readonly request: (entries: readonly TEntry[]) => Promise<readonly EntryResult<TValue>[]>;
  /**
   * How long an entry waits for others, in ms. Default: no longer than the current tick, or, while
   * requests are under way, until one of them is answered (20 ms at most).
   */
  readonly lingerMs?: number | undefined;
  /** Default 10. */
  readonly maxEntries?: number | undefined;
  /** At most this many requests are under way. */
  readonly maxInFlight: number;
  /** The bytes of an entry; a request holds no more than `maxBytes`. Default: not counted. */
  readonly sizeOf?: ((entry: TEntry) => number) | undefined;
  readonly maxBytes?: number | undefined;
  /** Entries of one lane go out in order, one request at a time. Default: no order. */
  readonly laneOf?: ((entry: TEntry) => string | undefined) | undefined;
}

interface Pending<TEntry, TValue> {
  readonly entry: TEntry;
  readonly bytes: number;
  readonly resolve: (result: EntryResult<TValue>) => void;
  tries: number;
}

/**
 * Gathers entries into batch requests: full ones at once, others when their time has come. Entries
 * that failed by SQS's fault are tried again, three times in all.
 */
export class Batcher<TEntry, TValue> {
  readonly #options: BatcherOptions<TEntry, TValue>;
  readonly #lanes: Lanes<Pending<TEntry, TValue>>;
  #waiting = 0;
  /** How many of those waiting need not wait for a full batch. */
  #due = 0;
  #inFlight = 0;
  #wasAnswered = false;
  #isTickScheduled = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: BatcherOptions<TEntry, TValue>) {
    this.#options = options;
    this.#lanes = new Lanes(({ entry }) => options.laneOf?.(entry));
  }

  /** Resolves with the entry's result. Never rejects. */
  add(entry: TEntry): Promise<EntryResult<TValue>> {
    return new Promise((resolve) => {
      const bytes = this.#options.sizeOf?.(entry) ?? 0;
      const pending = { entry, bytes, resolve, tries: 0 };
      this.#lanes.push(pending);
      this.#waiting += 1;
      this.#continue();
    });
  }

  /** Sends what waits without waiting for more. */
  hurry(): void {
    this.#due = this.#waiting;
    this.#pump();
  }

  /** Once all that runs in this tick has run, so that all that it adds travels together. */
  #scheduleTick(): void {
    if (this.#isTickScheduled) return;
    this.#isTickScheduled = true;
    process.nextTick(() => {
      this.#isTickScheduled = false;
      if (this.#inFlight === 0 || this.#wasAnswered) this.#due = this.#waiting;
      this.#wasAnswered = false;
      this.#pump();
    });
  }

  #pump(): void {
    const {
      maxInFlight,
      maxEntries = MAX_ENTRIES,
      maxBytes = Number.POSITIVE_INFINITY,
    } = this.#options;
    while (this.#inFlight < maxInFlight) {
      const { batch, isFull } = this.#lanes.peek(maxEntries, maxBytes);
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
        this.hurry();
      }, this.#options.lingerMs ?? MAX_WAIT_MS);
    }
  }

  async #send(batch: readonly Pending<TEntry, TValue>[]): Promise<void> {
    this.#inFlight += 1;
    const again = await this.#request(batch);
    this.#inFlight -= 1;
    this.#wasAnswered = true;
    const held = new Set(again.map((pending) => this.#laneOf(pending)));
    this.#lanes.free(batch.filter((pending) => !held.has(this.#laneOf(pending))));
    this.#continue();
    if (again.length === 0) return;
    await sleep(retryDelayMs(Math.max(...again.map(({ tries }) => tries))));
    this.#lanes.free(again, again);
    this.#waiting += again.length;
    this.#due += again.length;
    this.#continue();
  }

  #continue(): void {
    if (this.#options.lingerMs === undefined) this.#scheduleTick();
    else this.#pump();
  }

  /** Performs a request and hands out the results; returns the entries that are to be tried again. */
  async #request(
    batch: readonly Pending<TEntry, TValue>[],
  ): Promise<readonly Pending<TEntry, TValue>[]> {
    let results: readonly EntryResult<TValue>[];
    try {
      results = await this.#options.request(batch.map(({ entry }) => entry));
    } catch (thrown) {
      results = failedWhole(batch.length, thrown);
    }
    return batch.filter((pending, index) => {
      const result = results[index] ?? UNANSWERED;
      pending.tries += 1;
      if (
        isWorthRetrying(result) &&
        pending.tries < MAX_TRIES &&
        !this.#isOvertaken(index, batch, results)
      )
        return true;
      pending.resolve(result);
      return false;
    });
  }

  /** A later entry of the same lane went through: sent again, this one would come after it. */
  #isOvertaken(
    index: number,
    batch: readonly Pending<TEntry, TValue>[],
    results: readonly EntryResult<TValue>[],
  ): boolean {
    const lane = this.#laneOf(batch[index]);
    if (lane === undefined) return false;
    return batch.some(
      (other, at) => at > index && this.#laneOf(other) === lane && results[at]?.ok === true,
    );
  }

  #laneOf(pending: Pending<TEntry, TValue> | undefined): string | undefined {
    return pending === undefined ? undefined : this.#options.laneOf?.(pending.entry);
  }
}

function isWorthRetrying(result: EntryResult<unknown>): boolean {
  return !result.ok && !result.failure.senderFault && result.isFinal !== true;
}

/** Exponential, with jitter, so that what failed together is not tried again together. */
function retryDelayMs(tries: number): number {
  return FIRST_RETRY_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
}
