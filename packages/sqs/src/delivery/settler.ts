import type { Message } from "@aws-sdk/client-sqs";
import type { DeadLetterWrite, Envelope, Outcome } from "@babelqueue/core";
import type { Reporter } from "@babelqueue/core/transport";
import { SqsDeadLetterError, SqsDeleteError, SqsReleaseError } from "../errors.js";
import type { Deletes } from "../requests/delete.js";
import type { RequestResult } from "../requests/result.js";
import type { Sends } from "../requests/send.js";
import type { VisibilityChanges } from "../requests/visibility.js";
import { toDeadLetter } from "../wire/dead-letter.js";
import type { Queue } from "../wire/queue.js";
import type { Hold } from "./hold.js";
import type { Settled } from "./settled.js";

/** A dead-letter queue, and the sends to it. */
interface DeadLetters {
  readonly queue: Queue;
  readonly sends: Sends;
}

export interface SettlerOptions {
  readonly queue: Queue;
  readonly reporter: Reporter<Message>;
  /** Without: whoever called deletes what is finished, as Lambda does. */
  readonly deletes?: Deletes | undefined;
  /** Without: a released message comes back when its visibility timeout lapses. */
  readonly releases?: VisibilityChanges | undefined;
  readonly deadLetters?: DeadLetters | undefined;
  /** Gives a request only so much time. Default: all it takes. */
  readonly inTime?: <T>(request: Promise<RequestResult<T>>) => Promise<RequestResult<T>>;
}

const LEFT: Settled = { kind: "left" };

/** Carries outcomes out (docs/wire-contract.md §4), in batches. What fails is reported, never thrown. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #settlements = new Set<Promise<unknown>>();

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /** How many settlements are under way. */
  get size(): number {
    return this.#settlements.size;
  }

  /** Never rejects. Resolves once it is done, with what it came to. */
  settle(hold: Hold, outcome: Outcome): Promise<Settled> {
    const { reporter } = this.#options;
    return this.#track(
      this.#carryOut(hold, outcome).catch((thrown: unknown) => {
        void reporter.error(thrown, outcome.envelope, hold.message);
        return LEFT;
      }),
    );
  }

  /** Deletes another delivery of a message that was finished. */
  deleteAgain(hold: Hold): Promise<Settled> {
    return this.#track(this.#remove(hold, "repeated", null));
  }

  /** Resolves when all that was begun is done, without waiting for company. */
  async flush(): Promise<void> {
    const done = Promise.all(this.#settlements);
    this.hurry(done);
    await done;
  }

  /** Requests do not wait for company until `done` resolves. */
  hurry(done: Promise<unknown>): void {
    const { deletes, releases, deadLetters } = this.#options;
    deadLetters?.sends.hurry(done);
    deletes?.hurry(done);
    releases?.hurry(done);
  }

  #track(settlement: Promise<Settled>): Promise<Settled> {
    this.#settlements.add(settlement);
    void settlement.then(() => this.#settlements.delete(settlement));
    return settlement;
  }

  async #carryOut(hold: Hold, outcome: Outcome): Promise<Settled> {
    switch (outcome.kind) {
      case "ack":
        return this.#remove(hold, "handled", outcome.envelope);
      case "drop":
        return this.#remove(hold, "dropped", outcome.envelope);
      case "release":
        return this.#release(hold, outcome.delaySeconds, outcome.envelope);
      case "leave":
        return LEFT;
      case "dead-letter":
        return this.#deadLetter(hold, outcome);
    }
  }

  async #remove(
    hold: Hold,
    kind: "handled" | "dropped" | "deadLettered" | "repeated",
    envelope: Envelope | null,
  ): Promise<Settled> {
    const { queue, deletes, reporter } = this.#options;
    hold.markHandled();
    if (deletes === undefined) return { kind, isDeleted: true };
    const result = await this.#inTime(deletes.add(() => hold.newestHandle));
    if (!result.ok) {
      const error = new SqsDeleteError(queue.name, result.failed);
      void reporter.error(error, envelope, hold.message);
    }
    return { kind, isDeleted: result.ok };
  }

  async #release(hold: Hold, delaySeconds: number, envelope: Envelope | null): Promise<Settled> {
    const { queue, releases, reporter } = this.#options;
    if (releases === undefined) return { kind: "released", delaySeconds };
    const result = await this.#inTime(releases.add(() => hold.hiddenFor(delaySeconds)));
    if (result.ok) return { kind: "released", delaySeconds };
    // of a hold that was lost in the meantime there is nothing to release
    if (!hold.isLost) {
      const error = new SqsReleaseError(queue.name, result.failed);
      void reporter.error(error, envelope, hold.message);
    }
    return LEFT;
  }

  async #deadLetter(hold: Hold, outcome: DeadLetterWrite): Promise<Settled> {
    const { queue, deadLetters, reporter } = this.#options;
    if (deadLetters === undefined) return LEFT;
    const { sends, queue: target } = deadLetters;
    const copy = toDeadLetter(outcome, hold.message, queue, target, reporter.warning);
    const writing = this.#inTime(sends.add(copy));
    // the next of its message group waits for it
    if (queue.fifo) sends.hurry(writing);
    const result = await writing;
    if (result.ok) return this.#remove(hold, "deadLettered", outcome.envelope);
    const error = new SqsDeadLetterError(target.name, result.failed);
    void reporter.error(error, outcome.envelope, hold.message);
    return LEFT;
  }

  #inTime<T>(request: Promise<RequestResult<T>>): Promise<RequestResult<T>> {
    const { inTime } = this.#options;
    return inTime === undefined ? request : inTime(request);
  }
}
