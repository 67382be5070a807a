import { createReporter, type Reporter, type ReportHooks } from "@babelqueue/core";

/** A reporter that knows which of the user's hooks are still running. */
export class Hooks<TMessage> implements Reporter<TMessage> {
  readonly error: Reporter<TMessage>["error"];
  readonly warning: Reporter<TMessage>["warning"];
  readonly #running = new Set<Promise<void>>();

  constructor(hooks: ReportHooks<TMessage>) {
    const { error, warning } = createReporter(hooks);
    this.warning = warning;
    this.error = (...report) => {
      const told = error(...report);
      this.#running.add(told);
      void told.then(() => this.#running.delete(told));
      return told;
    };
  }

  /** Resolves when those running now are done. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }
}
