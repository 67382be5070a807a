import type { MaybePromise } from "../maybe-promise.js";

/**
 * Gives values their turn, of which some have yet to be made, as a payload whose schema is
 * asynchronous. What is there has its turn at once; where order counts, behind those asked for before.
 */
export class CallOrder {
  readonly #isOrdered: boolean;
  /** The last of those that wait; undefined while nobody does. */
  #last: Promise<unknown> | undefined;

  constructor(isOrdered: boolean) {
    this.#isOrdered = isOrdered;
  }

  /**
   * The value when its turn has come: at once, or as a promise. What is done with it before anything
   * else is awaited is done in order. `value` must not reject.
   */
  take<T>(value: MaybePromise<T>): MaybePromise<T> {
    if (this.#last === undefined && !(value instanceof Promise)) return value;
    const turn = Promise.all([value, this.#last]).then(([ready]) => ready);
    if (this.#isOrdered) {
      this.#last = turn;
      void turn.then(() => {
        if (this.#last === turn) this.#last = undefined;
      });
    }
    return turn;
  }
}
