import type { Message } from "@aws-sdk/client-sqs";
import type { DeadLetterWrite, Envelope, Outcome, Reporter } from "@babelqueue/core";
import type { Counters } from "../consume/stats.js";
import { SqsDeadLetterError, SqsDeleteError, SqsReleaseError } from "../errors.js";
import type { Batcher } from "../requests/batcher.js";
import type { SqsClient } from "../requests/client.js";
import { createSendBatcher, type SendBatcher } from "../requests/send.js";
import {
  createDeleteBatcher,
  createVisibilityBatcher,
  type VisibilityChange,
} from "../requests/settle-requests.js";
import { toDeadLetterEntry } from "../wire/outgoing.js";
import type { Queue } from "../wire/queue.js";
import type { Fate } from "./groups.js";
import type { Held } from "./hold.js";

export interface SettlerOptions {
  readonly client: SqsClient;
  readonly queue: Queue;
  readonly deadLetterQueue: Queue | undefined;
  readonly lingerMs: number;
  readonly maxInFlight: number;
  readonly reporter: Reporter<Message>;
  readonly counters: Counters;
}

const LEAVE: Fate = { kind: "leave" };

/** Carries outcomes out (CONTRACT.md §4), in batches. What fails is reported, never thrown. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #deletes: Batcher<Held, void>;
  readonly #releases: Batcher<VisibilityChange, void>;
  readonly #deadLetters: SendBatcher | undefined;
  readonly #open = new Set<Promise<unknown>>();
  #haste = 0;
  #isHurryScheduled = false;

  constructor(options: SettlerOptions) {
    const { client, queue, deadLetterQueue, lingerMs, maxInFlight } = options;
    const requests = { client, queueUrl: queue.url, lingerMs, maxInFlight };
    this.#options = options;
    this.#deletes = createDeleteBatcher(requests);
    this.#releases = createVisibilityBatcher(requests);
    this.#deadLetters = deadLetterQueue && createSendBatcher(client, deadLetterQueue, requests);
  }

  /** How many settlements are under way. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Never rejects. Resolves once it is done, with what the followers in a message group are to meet:
   * null where the message is finished, or else what became of it.
   */
  settle(held: Held, outcome: Outcome): Promise<Fate | null> {
    const { counters, reporter } = this.#options;
    const settlement = this.#carryOut(held, outcome).catch((thrown: unknown) => {
      counters.left += 1;
      void reporter.error(thrown, outcome.envelope, held.message);
      return LEAVE;
    });
    return this.#track(settlement);
  }

  /** Deletes another delivery of a message that was finished. */
  deleteAgain(held: Held): Promise<null> {
    return this.#track(this.#delete(held, null));
  }

  /** Requests do not wait for company while this is on; calls are counted. */
  haste(isOn: boolean): void {
    this.#haste += isOn ? 1 : -1;
    if (isOn) this.#hurry();
  }

  /** Resolves when all that was begun is done, without waiting for company. */
  async flush(): Promise<void> {
    this.haste(true);
    await Promise.all(this.#open);
    this.haste(false);
  }

  #track<T>(settlement: Promise<T>): Promise<T> {
    this.#open.add(settlement);
    void settlement.then(() => this.#open.delete(settlement));
    if (this.#haste > 0) this.#hurry();
    return settlement;
  }

  /** At the end of the tick, so that what comes in one tick travels together all the same. */
  #hurry(): void {
    if (this.#isHurryScheduled) return;
    this.#isHurryScheduled = true;
    process.nextTick(() => {
      this.#isHurryScheduled = false;
      this.#deadLetters?.hurry();
      this.#deletes.hurry();
      this.#releases.hurry();
    });
  }

  async #carryOut(held: Held, outcome: Outcome): Promise<Fate | null> {
    const { queue, counters } = this.#options;
    switch (outcome.kind) {
      case "ack":
        counters.handled += 1;
        return this.#delete(held, outcome.envelope);
      case "drop":
        counters.dropped += 1;
        return this.#delete(held, outcome.envelope);
      case "release":
        return this.#release(held, outcome.delaySeconds, outcome.envelope);
      case "leave":
        counters.left += 1;
        return LEAVE;
      case "dead-letter":
        // the next of its message group waits for it
        if (queue.fifo) this.#hurry();
        return this.#deadLetter(held, outcome);
    }
  }

  async #delete(held: Held, envelope: Envelope | null): Promise<null> {
    const { queue, counters, reporter } = this.#options;
    held.claim.isFinished = true;
    const result = await this.#deletes.add(held);
    if (!result.ok) {
      counters.failedDeletes += 1;
      void reporter.error(new SqsDeleteError(queue.name, result.failure), envelope, held.message);
    }
    return null;
  }

  async #release(held: Held, delaySeconds: number, envelope: Envelope | null): Promise<Fate> {
    const { queue, counters, reporter } = this.#options;
    const result = await this.#releases.add({ held, seconds: delaySeconds });
    if (result.ok) {
      counters.released += 1;
      return { kind: "release", delaySeconds };
    }
    counters.left += 1;
    // of a hold that was lost in the meantime there is nothing to release
    if (!held.isLost) {
      void reporter.error(new SqsReleaseError(queue.name, result.failure), envelope, held.message);
    }
    return LEAVE;
  }

  async #deadLetter(held: Held, outcome: DeadLetterWrite): Promise<Fate | null> {
    const { queue, deadLetterQueue, counters, reporter } = this.#options;
    const { message } = held;
    if (deadLetterQueue === undefined || this.#deadLetters === undefined) {
      counters.left += 1;
      return LEAVE;
    }
    const entry = toDeadLetterEntry(outcome, message, queue, deadLetterQueue, reporter.warning);
    const result = await this.#deadLetters.add(entry);
    if (!result.ok) {
      counters.left += 1;
      const error = new SqsDeadLetterError(deadLetterQueue.name, result.failure);
      void reporter.error(error, outcome.envelope, message);
      return LEAVE;
    }
    counters.deadLettered += 1;
    const deletion = this.#delete(held, outcome.envelope);
    if (this.#haste > 0) this.#hurry();
    return deletion;
  }
}
