/**
 * A queue that is cheap to take from, however long it is: taking moves a mark, and the array behind
 * is cut now and then.
 */
export class Lane<T> {
  /** What the entries have in common that keeps them in order; undefined where nothing does. */
  readonly key: string | undefined;
  /** An ordered lane has a request under way: nothing else may go out. */
  isBusy = false;
  #entries: T[] = [];
  #head = 0;

  constructor(key: string | undefined) {
    this.key = key;
  }

  get length(): number {
    return this.#entries.length - this.#head;
  }

  at(index: number): T | undefined {
    return this.#entries[this.#head + index];
  }

  push(entry: T): void {
    this.#entries.push(entry);
  }

  putBack(entries: readonly T[]): void {
    this.#entries = [...entries, ...this.#entries.slice(this.#head)];
    this.#head = 0;
  }

  drop(count: number): void {
    this.#head += count;
    if (this.#head > 100 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
  }
}

/** The lanes of a batcher, and which of them may send. */
export class Lanes<T extends { readonly bytes: number }> {
  readonly #laneOf: (entry: T) => string | undefined;
  readonly #unordered = new Lane<T>(undefined);
  /** Ordered lanes that have entries, waiting or under way. Forgotten when they have none. */
  readonly #ordered = new Map<string, Lane<T>>();
  /** Lanes that have entries and may send them, in turn. */
  readonly #ready = new Set<Lane<T>>();

  constructor(laneOf: (entry: T) => string | undefined) {
    this.#laneOf = laneOf;
  }

  push(entry: T): void {
    const lane = this.#find(entry);
    lane.push(entry);
    if (!lane.isBusy) this.#ready.add(lane);
  }

  /** What may be sent now: at most so many entries and bytes, and whether more would not have fitted. */
  peek(
    maxEntries: number,
    maxBytes: number,
  ): { readonly batch: readonly T[]; readonly isFull: boolean } {
    const batch: T[] = [];
    let bytes = 0;
    for (const lane of this.#ready) {
      for (let index = 0; index < lane.length; index += 1) {
        const entry = lane.at(index);
        if (entry === undefined) break;
        bytes += entry.bytes;
        if (batch.length > 0 && bytes > maxBytes) return { batch, isFull: true };
        batch.push(entry);
        if (batch.length === maxEntries) return { batch, isFull: true };
      }
    }
    return { batch, isFull: false };
  }

  /** Takes what {@link peek} found; ordered lanes then wait until they are freed. */
  take(batch: readonly T[]): void {
    for (const entry of batch) {
      const lane = this.#find(entry);
      lane.drop(1);
      lane.isBusy = lane.key !== undefined;
      if (lane.isBusy || lane.length === 0) this.#ready.delete(lane);
    }
  }

  /** Frees the lanes of entries that were taken, with those to be sent again at their head. */
  free(entries: readonly T[], again: readonly T[] = []): void {
    for (const lane of new Set(entries.map((entry) => this.#find(entry)))) {
      if (again.length > 0) lane.putBack(again.filter((entry) => this.#find(entry) === lane));
      lane.isBusy = false;
      if (lane.length > 0) this.#ready.add(lane);
      else if (lane.key !== undefined) this.#ordered.delete(lane.key);
    }
  }

  #find(entry: T): Lane<T> {
    const key = this.#laneOf(entry);
    if (key === undefined) return this.#unordered;
    const known = this.#ordered.get(key);
    if (known !== undefined) return known;
    const lane = new Lane<T>(key);
    this.#ordered.set(key, lane);
    return lane;
  }
}
