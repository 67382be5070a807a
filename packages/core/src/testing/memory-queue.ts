import { decodeEnvelope } from "../envelope/codec.js";
import type { Envelope } from "../envelope/envelope.js";
import type { Headers } from "../headers.js";
import type { ManualClock } from "./clock.js";
import type { MemoryMessage, StoredMessage } from "./memory-message.js";

/** As SQS does, a FIFO queue takes a message with the same deduplication id once in five minutes. */
const DEDUPLICATION_MS = 300_000;

/** A message on its way into a queue. */
export interface NewMessage {
  readonly body: string;
  readonly headers: Readonly<Headers>;
  readonly messageGroupId?: string | undefined;
  readonly deduplicationId?: string | undefined;
  readonly delaySeconds?: number | undefined;
}

/** One delivery of a message; it is in force until the message is received again or removed. */
export interface Receipt {
  readonly message: MemoryMessage;
}

/** What moves messages that were received too often out of a queue. */
export interface Redrive {
  readonly maxReceiveCount: number;
  readonly deadLetterQueue: MemoryQueue;
}

interface Entry {
  message: MemoryMessage;
  visibleAt: number;
  receipt: Receipt | undefined;
}

/** The messages of one queue, in the order they came. A name that ends in `.fifo` makes it FIFO. */
export class MemoryQueue {
  readonly name: string;
  readonly fifo: boolean;
  readonly #clock: ManualClock;
  readonly #redrive: Redrive | undefined;
  #entries: Entry[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #deduplicated = new Map<string, { readonly id: string; readonly at: number }>();

  constructor(name: string, clock: ManualClock, redrive: Redrive | undefined) {
    this.name = name;
    this.fifo = name.endsWith(".fifo");
    this.#clock = clock;
    this.#redrive = redrive;
  }

  /** Takes a message; returns its id, which is that of its twin where it is a duplicate. */
  send(sent: NewMessage): string {
    const now = this.#clock.now();
    const { body, headers, deduplicationId, delaySeconds = 0 } = sent;
    const twin =
      deduplicationId === undefined ? undefined : this.#deduplicated.get(deduplicationId);
    if (twin !== undefined && now - twin.at < DEDUPLICATION_MS) return twin.id;
    const id = crypto.randomUUID();
    if (this.fifo && deduplicationId !== undefined) {
      this.#deduplicated.set(deduplicationId, { id, at: now });
    }
    const messageGroupId = sent.messageGroupId ?? (this.fifo ? this.name : undefined);
    this.#entries.push({
      message: { id, body, headers: { ...headers }, receiveCount: 0, messageGroupId },
      visibleAt: now + delaySeconds * 1000,
      receipt: undefined,
    });
    this.#tell();
    return id;
  }

  /** Calls `listener` whenever more may be visible, but for time; until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** At most so many visible messages, hidden from now on. FIFO: none behind a hidden one of its group. */
  receive(max: number, visibilityTimeoutSeconds: number): Receipt[] {
    const now = this.#clock.now();
    const heldUp = new Set<string | undefined>();
    const receipts: Receipt[] = [];
    for (const entry of [...this.#entries]) {
      const { messageGroupId } = entry.message;
      if (receipts.length === max) break;
      if (this.fifo && heldUp.has(messageGroupId)) continue;
      if (entry.visibleAt > now) {
        heldUp.add(messageGroupId);
      } else if (!this.#redriven(entry)) {
        const { receiveCount } = entry.message;
        entry.message = { ...entry.message, receiveCount: receiveCount + 1 };
        entry.visibleAt = now + visibilityTimeoutSeconds * 1000;
        entry.receipt = { message: entry.message };
        receipts.push(entry.receipt);
      }
    }
    return receipts;
  }

  /** Nobody else can receive the message. */
  isHeld(receipt: Receipt): boolean {
    const entry = this.#entryOf(receipt);
    return entry !== undefined && entry.visibleAt > this.#clock.now();
  }

  /** Removes the message, unless it was received again meanwhile. */
  delete(receipt: Receipt): void {
    this.#entries = this.#entries.filter((entry) => entry.receipt !== receipt);
    this.#tell();
  }

  /** Makes the message visible after the delay, unless the hold on it was lost. */
  release(receipt: Receipt, delaySeconds: number): void {
    const entry = this.#entryOf(receipt);
    if (entry === undefined || !this.isHeld(receipt)) return;
    entry.visibleAt = this.#clock.now() + delaySeconds * 1000;
    entry.receipt = undefined;
    this.#tell();
  }

  list(): StoredMessage[] {
    const now = this.#clock.now();
    return this.#entries.map(({ message, visibleAt, receipt }) => ({
      ...message,
      envelope: envelopeOf(message.body),
      isInFlight: receipt !== undefined && visibleAt > now,
      visibleInSeconds: Math.max(0, visibleAt - now) / 1000,
    }));
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #entryOf(receipt: Receipt): Entry | undefined {
    return this.#entries.find((entry) => entry.receipt === receipt);
  }

  #redriven(entry: Entry): boolean {
    const { message } = entry;
    if (this.#redrive === undefined || message.receiveCount < this.#redrive.maxReceiveCount) {
      return false;
    }
    this.#redrive.deadLetterQueue.send({ ...message, deduplicationId: message.id });
    this.#entries = this.#entries.filter((other) => other !== entry);
    return true;
  }
}

function envelopeOf(body: string): Envelope | null {
  try {
    return decodeEnvelope(body, { onWarning: () => undefined });
  } catch {
    return null;
  }
}
