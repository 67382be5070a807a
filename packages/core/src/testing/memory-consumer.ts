import { type ConsumeOptions, createConsume, type SettlementOptions } from "../consume/consume.js";
import type { Consume, DeadLetterWrite, Delivery, Outcome } from "../consume/delivery.js";
import { InvalidArgumentError } from "../errors.js";
import type { Handlers, Routes } from "../messages/router.js";
import type { ManualClock } from "./clock.js";
import { type MemoryMessage, ridersOf, SCHEMA_VERSION_HEADER } from "./memory-message.js";
import type { MemoryQueue, Receipt } from "./memory-queue.js";

export interface MemoryConsumerOptions extends SettlementOptions<MemoryMessage> {
  /**
   * Write poison, gated and (by strategy) unknown messages to the queue's dead-letter queue, as a
   * `deadLetterQueueUrl` has it on SQS. Default `false`.
   */
  readonly deadLetters?: boolean | undefined;
  /** The most messages of one poll. Default 10. */
  readonly maxMessages?: number | undefined;
  /** Hides received messages for so long. Default: the transport's. */
  readonly visibilityTimeoutSeconds?: number | undefined;
}

/** What a consumer has done since it was made. */
export interface MemoryConsumerStats {
  readonly received: number;
  /** Their handler succeeded. */
  readonly handled: number;
  /** Removed unhandled, by an unknown-URN strategy or hook. */
  readonly dropped: number;
  readonly released: number;
  /** They come back when their visibility timeout lapses. */
  readonly left: number;
  readonly deadLettered: number;
  /** Received and not settled yet. */
  readonly inFlight: number;
}

/** How an outcome is counted. */
const COUNTED = {
  ack: "handled",
  drop: "dropped",
  release: "released",
  leave: "left",
  "dead-letter": "deadLettered",
} as const;

/** What a consumer is made of. */
interface Place {
  readonly clock: ManualClock;
  readonly queue: MemoryQueue;
  readonly deadLetterQueue: MemoryQueue;
}

/** What the followers of a message in its group meet; null where they may go on. */
type Inheritance = Extract<Outcome, { kind: "release" | "leave" }> | null;

const AT_ONCE: Inheritance = { kind: "release", envelope: null, delaySeconds: 0 };
const LEAVE: Inheritance = { kind: "leave", envelope: null };

/** Consumes one queue of a memory transport, a poll at a time. */
export class MemoryConsumer {
  readonly #place: Place;
  readonly #maxMessages: number;
  readonly #visibilityTimeoutSeconds: number;
  readonly #consume: Consume<MemoryMessage>;
  readonly #polls = new Set<Promise<unknown>>();
  readonly #counts = { handled: 0, dropped: 0, released: 0, left: 0, deadLettered: 0 };
  #received = 0;
  /** What ends the runs. */
  readonly #runs = new Set<() => void>();
  #isStopping = false;

  constructor(
    place: Place,
    handlers: Routes<MemoryMessage> | Handlers<MemoryMessage>,
    options: MemoryConsumerOptions & { readonly visibilityTimeoutSeconds: number },
  ) {
    const { maxMessages = 10, deadLetters = false } = options;
    if (!Number.isInteger(maxMessages) || maxMessages < 1) {
      const problem = `expected a whole number from 1, got ${maxMessages}`;
      throw new InvalidArgumentError("maxMessages", problem);
    }
    this.#place = place;
    this.#maxMessages = maxMessages;
    this.#visibilityTimeoutSeconds = options.visibilityTimeoutSeconds;
    const consumeOptions: ConsumeOptions<MemoryMessage> = { ...options, deadLetters };
    this.#consume = createConsume(handlers, consumeOptions);
  }

  /**
   * Receives what is visible now, handles and settles it; resolves with how many messages that
   * were. Waits for no message: an empty queue gives 0 at once. Never rejects.
   */
  async poll(signal?: AbortSignal): Promise<number> {
    if (this.#isStopping || signal?.aborted === true) return 0;
    const { queue } = this.#place;
    const receipts = queue.receive(this.#maxMessages, this.#visibilityTimeoutSeconds);
    this.#received += receipts.length;
    const lanes = queue.fifo ? byGroup(receipts) : receipts.map((receipt) => [receipt]);
    // later, so that a handler that stops the consumer finds this poll among those to wait for
    const poll = Promise.resolve().then(() =>
      Promise.all(lanes.map((lane) => this.#inOrder(lane))),
    );
    this.#polls.add(poll);
    await poll;
    this.#polls.delete(poll);
    return receipts.length;
  }

  /**
   * Polls whenever there may be something, until `stop` is called or the signal aborts; resolves when
   * what was received is settled. Time passes only by the transport's clock.
   */
  async run(signal?: AbortSignal): Promise<void> {
    const { clock, queue } = this.#place;
    const over = new AbortController();
    const waiting: (() => void)[] = [];
    const wake = (): void => waiting.splice(0).forEach((resolve) => resolve());
    const end = (): void => {
      over.abort();
      wake();
    };
    if (signal?.aborted === true) end();
    const listening = [queue.onChange(wake), clock.onAdvance(wake)];
    signal?.addEventListener("abort", end);
    this.#runs.add(end);
    while (!over.signal.aborted) {
      const changed = new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
      if ((await this.poll(over.signal)) === 0 && !over.signal.aborted) await changed;
    }
    for (const stopListening of listening) stopListening();
    signal?.removeEventListener("abort", end);
    this.#runs.delete(end);
  }

  stats(): MemoryConsumerStats {
    const settled = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
    return { received: this.#received, ...this.#counts, inFlight: this.#received - settled };
  }

  /** Starts no more handlers, and resolves when those running have ended. It may be polled again. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const end of this.#runs) end();
    await Promise.all(this.#polls);
    this.#isStopping = false;
  }

  /** A message that is not finished keeps those behind it from being started. */
  async #inOrder(lane: readonly Receipt[]): Promise<void> {
    let inherited: Inheritance = null;
    for (const receipt of lane) {
      if (this.#isStopping) inherited ??= AT_ONCE;
      // it waited so long for its turn that somebody else may have it
      if (!this.#place.queue.isHeld(receipt)) inherited ??= LEAVE;
      inherited = this.#settle(receipt, inherited ?? (await this.#handle(receipt)));
    }
  }

  async #handle(receipt: Receipt): Promise<Outcome> {
    const { clock, queue } = this.#place;
    const hold = new AbortController();
    const stopWatching = clock.onAdvance(() => {
      if (queue.isHeld(receipt)) return;
      hold.abort(new Error(`The visibility timeout of a message of queue ${queue.name} lapsed.`));
    });
    const outcome = await this.#consume(toDelivery(receipt.message, queue.name, hold.signal));
    stopWatching();
    return outcome;
  }

  #settle(receipt: Receipt, outcome: Outcome): Inheritance {
    const { queue, deadLetterQueue } = this.#place;
    this.#counts[COUNTED[outcome.kind]] += 1;
    switch (outcome.kind) {
      case "ack":
      case "drop":
        queue.delete(receipt);
        return null;
      case "release":
        queue.release(receipt, outcome.delaySeconds);
        return outcome;
      case "leave":
        return outcome;
      case "dead-letter":
        deadLetterQueue.send({
          body: outcome.body,
          headers: headersOfCopy(outcome, receipt.message, queue),
          messageGroupId: deadLetterQueue.fifo ? queue.name : undefined,
          deduplicationId: receipt.message.id,
        });
        queue.delete(receipt);
        return null;
    }
  }
}

function toDelivery(
  message: MemoryMessage,
  queue: string,
  signal: AbortSignal,
): Delivery<MemoryMessage> {
  return {
    body: message.body,
    headers: ridersOf(message.headers),
    declaredSchemaVersion: message.headers[SCHEMA_VERSION_HEADER],
    redeliveries: message.receiveCount - 1,
    system: "memory",
    queue,
    messageId: message.id,
    message,
    signal,
  };
}

/** Beside its body a copy says why it is there and where it came from (docs/wire-contract.md §4). */
function headersOfCopy(
  { reason }: DeadLetterWrite,
  { headers, messageGroupId }: MemoryMessage,
  { name, fifo }: MemoryQueue,
): Readonly<Record<string, string>> {
  return {
    ...headers,
    "bq-dead-letter-reason": reason,
    "bq-original-queue": name,
    ...(fifo && messageGroupId !== undefined && { "bq-original-group": messageGroupId }),
  };
}

function byGroup(receipts: readonly Receipt[]): Receipt[][] {
  const groups = new Map<string | undefined, Receipt[]>();
  for (const receipt of receipts) {
    const { messageGroupId } = receipt.message;
    const group = groups.get(messageGroupId) ?? [];
    group.push(receipt);
    groups.set(messageGroupId, group);
  }
  return [...groups.values()];
}
