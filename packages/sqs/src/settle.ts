import type { Message } from "@aws-sdk/client-sqs";
import type { DeadLetterWrite, Envelope, Outcome, Reporter } from "@babelqueue/core";
import type { Batcher } from "./batcher.js";
import type { SqsClient } from "./client.js";
import { toDeadLetterEntry } from "./entry.js";
import { SqsDeadLetterError, SqsDeleteError, SqsReleaseError } from "./errors.js";
import type { Held } from "./held.js";
import type { Queue } from "./queue.js";
import { createDeleteBatcher, createVisibilityBatcher, type VisibilityChange } from "./requests.js";
import { createSendBatcher, type SendBatcher } from "./send.js";
import type { Counters } from "./stats.js";

export interface SettlerOptions {
  readonly client: SqsClient;
  readonly queue: Queue;
  readonly deadLetterQueue: Queue | undefined;
  readonly lingerMs: number;
  readonly maxInFlight: number;
  readonly reporter: Reporter<Message>;
  readonly counters: Counters;
}

/** Carries outcomes out (CONTRACT.md §4), in batches. What fails is reported, never thrown. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #deletes: Batcher<Held, void>;
  readonly #releases: Batcher<VisibilityChange, void>;
  readonly #deadLetters: SendBatcher | undefined;
  readonly #open = new Set<Promise<boolean>>();
  #flushes = 0;

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

  /** Resolves once it is done, with whether the message is out of the queue for good. */
  settle(held: Held, outcome: Outcome): Promise<boolean> {
    return this.#track(this.#carryOut(held, outcome));
  }

  /** Deletes another delivery of a message that was finished. */
  deleteAgain(held: Held): Promise<boolean> {
    return this.#track(this.#delete(held, null));
  }

  /** Nothing waits for company any more; resolves when all that was begun is done. */
  async flush(): Promise<void> {
    this.#flushes += 1;
    this.#hurry();
    await Promise.all(this.#open);
    this.#flushes -= 1;
  }

  #track(settlement: Promise<boolean>): Promise<boolean> {
    this.#open.add(settlement);
    void settlement.then(() => this.#open.delete(settlement));
    if (this.#flushes > 0) this.#hurry();
    return settlement;
  }

  #hurry(): void {
    this.#deadLetters?.hurry();
    this.#deletes.hurry();
    this.#releases.hurry();
  }

  async #carryOut(held: Held, outcome: Outcome): Promise<boolean> {
    const { counters } = this.#options;
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
        return false;
      case "dead-letter":
        return this.#deadLetter(held, outcome);
    }
  }

  async #delete(held: Held, envelope: Envelope | null): Promise<boolean> {
    const { queue, counters, reporter } = this.#options;
    held.claim.isFinished = true;
    const result = await this.#deletes.add(held);
    if (result.ok) return true;
    counters.failedDeletes += 1;
    await reporter.error(new SqsDeleteError(queue.name, result.failure), envelope, held.message);
    return false;
  }

  async #release(held: Held, delaySeconds: number, envelope: Envelope | null): Promise<boolean> {
    const { queue, counters, reporter } = this.#options;
    const seconds = Math.min(delaySeconds, held.remainingSeconds);
    const result = await this.#releases.add({ held, seconds });
    if (result.ok) {
      counters.released += 1;
    } else {
      counters.left += 1;
      await reporter.error(new SqsReleaseError(queue.name, result.failure), envelope, held.message);
    }
    return false;
  }

  async #deadLetter(held: Held, outcome: DeadLetterWrite): Promise<boolean> {
    const { queue, deadLetterQueue, counters, reporter } = this.#options;
    const { message } = held;
    if (deadLetterQueue === undefined || this.#deadLetters === undefined) {
      counters.left += 1;
      return false;
    }
    const entry = toDeadLetterEntry(outcome, message, queue, deadLetterQueue, reporter.warning);
    const result = await this.#deadLetters.add(entry);
    if (!result.ok) {
      counters.left += 1;
      const error = new SqsDeadLetterError(deadLetterQueue.name, result.failure);
      await reporter.error(error, outcome.envelope, message);
      return false;
    }
    counters.deadLettered += 1;
    const deletion = this.#delete(held, outcome.envelope);
    if (this.#flushes > 0) this.#hurry();
    return deletion;
  }
}
