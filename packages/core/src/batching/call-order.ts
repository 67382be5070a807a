import type { MaybePromise } from "../maybe-promise.js";

/**
 * Sends values of which some have yet to be made, as a payload whose schema is asynchronous. What is
 * there is sent at once; where order counts, behind those asked for before it.
 */
export class CallOrder {
  readonly #isOrdered: boolean;
  /** The last of those that wait; undefined while nobody does. */
  #last: Promise<unknown> | undefined;

  constructor(isOrdered: boolean) {
    this.#isOrdered = isOrdered;
  }

  /** Calls `send` with the value in its turn. `value` must not reject. */
  async take<TValue, TResult>(
    value: MaybePromise<TValue>,
    send: (value: TValue) => Promise<TResult>,
  ): Promise<TResult> {
    if (this.#last === undefined && !(value instanceof Promise)) return send(value);
    // boxed, as a turn ends when sending begins: what was sent is in order from then on
    const turn = Promise.all([value, this.#last]).then(([ready]) => {
      if (this.#last === turn) this.#last = undefined;
      return { result: send(ready) };
    });
    if (this.#isOrdered) this.#last = turn;
    return (await turn).result;
  }
}
