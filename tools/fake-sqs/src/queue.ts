import type { Clock } from "./clock.js";
import { Deduplication } from "./deduplication.js";
import { type FifoGroupRule, FifoGroups } from "./fifo-groups.js";
import { LongPolls } from "./long-polls.js";
import { isVisible, type StoredMessage } from "./message.js";
import type { QueueSettings } from "./queue-attributes.js";

/** Where queues live. */
const REGION = "eu-central-1";
const ACCOUNT = "123456789012";

export interface QueueEnvironment {
  readonly clock: Clock;
  readonly fifoGroups: FifoGroupRule;
  /** Whether the ids of deleted messages are kept. */
  readonly history: boolean;
}

/** One queue: its messages, who waits for them, and what was deleted. No request is parsed here. */
export class Queue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly settings: QueueSettings;
  readonly createdAt: number;
  readonly deduplication: Deduplication = new Deduplication();
  readonly polls: LongPolls;
  readonly #environment: QueueEnvironment;
  readonly #messages = new Map<string, StoredMessage>();
  readonly #groups: FifoGroups;
  readonly #deleted: string[] = [];
  #sequence = 18_849_496_460_467_696_128n;

  constructor(name: string, settings: QueueSettings, environment: QueueEnvironment) {
    this.name = name;
    this.url = `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`;
    this.arn = `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;
    this.settings = settings;
    this.createdAt = environment.clock.now();
    this.#environment = environment;
    this.#groups = new FifoGroups(environment.fifoGroups);
    this.polls = new LongPolls(environment.clock, () => this.#nextVisibleAt());
  }

  get messages(): Iterable<StoredMessage> {
    return this.#messages.values();
  }

  /** The ids of the messages deleted by a consumer, in order. */
  get deleted(): readonly string[] {
    return this.#deleted;
  }

  message(messageId: string): StoredMessage | undefined {
    return this.#messages.get(messageId);
  }

  /** The next sequence number: twenty digits, growing (only FIFO queues have them). */
  nextSequenceNumber(): string | undefined {
    if (!this.settings.fifo) return undefined;
    this.#sequence += 256n;
    return String(this.#sequence);
  }

  add(message: StoredMessage): void {
    this.#messages.set(message.messageId, message);
    if (this.settings.fifo) this.#groups.add(message);
  }

  /** Takes a message out without counting it as deleted: moved, or purged. */
  remove(message: StoredMessage): void {
    this.#messages.delete(message.messageId);
    if (this.settings.fifo) this.#groups.remove(message);
  }

  delete(message: StoredMessage): void {
    this.remove(message);
    if (this.#environment.history) this.#deleted.push(message.messageId);
  }

  /** What a receive may take now, in the order it takes it. */
  receivable(now: number): Iterable<StoredMessage> {
    return this.settings.fifo ? this.#groups.receivable(now) : this.#visible(now);
  }

  *#visible(now: number): Generator<StoredMessage, void, undefined> {
    for (const message of this.#messages.values()) {
      if (isVisible(message, now)) yield message;
    }
  }

  #nextVisibleAt(): number | undefined {
    const now = this.#environment.clock.now();
    let next: number | undefined;
    for (const message of this.#messages.values()) {
      if (isVisible(message, now)) continue;
      if (next === undefined || message.visibleAt < next) next = message.visibleAt;
    }
    return next;
  }
}
