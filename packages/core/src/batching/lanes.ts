/**
 * A queue that is cheap to take from, however long it is: taking moves a mark, and the array behind
 * is cut now and then.
 */
export class Lane<T> {
  /** What the items have in common that keeps them in order; undefined where nothing does. */
  readonly key: string | undefined;
  /** An ordered lane has a request under way: nothing else may go out. */
  isBusy = false;
  #items: T[] = [];
  #head = 0;

  constructor(key: string | undefined) {
    this.key = key;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  at(index: number): T | undefined {
    return this.#items[this.#head + index];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  putBack(items: readonly T[]): void {
    this.#items = [...items, ...this.#items.slice(this.#head)];
    this.#head = 0;
  }

  drop(count: number): void {
    this.#head += count;
    if (this.#head > 100 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
  }
}

/** The lanes of a batcher, and which of them may send. */
export class Lanes<T extends { readonly bytes: number; readonly lane: string | undefined }> {
  readonly #unordered = new Lane<T>(undefined);
  /** Ordered lanes that have items, waiting or under way. Forgotten when they have none. */
  readonly #ordered = new Map<string, Lane<T>>();
  /** Lanes that have items and may send them, in turn. */
  readonly #ready = new Set<Lane<T>>();

  push(item: T): void {
    const lane = this.#find(item);
    lane.push(item);
    if (!lane.isBusy) this.#ready.add(lane);
  }

  /** What may be sent now: at most so many items and bytes, and whether more would not have fitted. */
  peek(
    maxItems: number,
    maxBytes: number,
  ): { readonly batch: readonly T[]; readonly isFull: boolean } {
    const batch: T[] = [];
    let bytes = 0;
    for (const lane of this.#ready) {
      for (let index = 0; index < lane.length; index += 1) {
        const item = lane.at(index);
        if (item === undefined) break;
        bytes += item.bytes;
        if (batch.length > 0 && bytes > maxBytes) return { batch, isFull: true };
        batch.push(item);
        if (batch.length === maxItems) return { batch, isFull: true };
      }
    }
    return { batch, isFull: false };
  }

  /** Takes what {@link peek} found; ordered lanes then wait until they are freed. */
  take(batch: readonly T[]): void {
    for (const item of batch) {
      const lane = this.#find(item);
      lane.drop(1);
      lane.isBusy = lane.key !== undefined;
      if (lane.isBusy || lane.length === 0) this.#ready.delete(lane);
    }
  }

  /** Frees the lanes of items that were taken, with those to be sent again at their head. */
  free(items: readonly T[], again: readonly T[] = []): void {
    for (const lane of new Set(items.map((item) => this.#find(item)))) {
      if (again.length > 0) lane.putBack(again.filter((item) => this.#find(item) === lane));
      lane.isBusy = false;
      if (lane.length > 0) this.#ready.add(lane);
      else if (lane.key !== undefined) this.#ordered.delete(lane.key);
    }
  }

  #find({ lane: key }: T): Lane<T> {
    if (key === undefined) return this.#unordered;
    const known = this.#ordered.get(key);
    if (known !== undefined) return known;
    const lane = new Lane<T>(key);
    this.#ordered.set(key, lane);
    return lane;
  }
}
