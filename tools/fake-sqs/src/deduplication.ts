import { createHash } from "node:crypto";
import type { StoredMessage } from "./message.js";

/** What is remembered of a message: enough to answer its duplicates. */
export type Original = Pick<StoredMessage, "messageId" | "sequenceNumber" | "sentAt">;

const INTERVAL_MS = 5 * 60 * 1000;

/** The id under content-based deduplication: the SHA-256 of the body, never of the attributes. */
export function contentDeduplicationId(body: string): string {
  return createHash("sha256").update(body).digest("hex");
}

/**
 * A FIFO queue's memory: for five minutes a message with a known id is accepted but not delivered,
 * even after the original was deleted (Developer Guide, exactly-once processing).
 */
export class Deduplication {
  readonly #originals = new Map<string, Original>();

  originalOf(deduplicationId: string, now: number): Original | undefined {
    this.#forgetBefore(now - INTERVAL_MS);
    return this.#originals.get(deduplicationId);
  }

  remember(deduplicationId: string, { messageId, sequenceNumber, sentAt }: Original): void {
    this.#originals.set(deduplicationId, { messageId, sequenceNumber, sentAt });
  }

  /** Ids are held in the order of their sending, the oldest first. */
  #forgetBefore(time: number): void {
    for (const [deduplicationId, original] of this.#originals) {
      if (original.sentAt > time) return;
      this.#originals.delete(deduplicationId);
    }
  }
}
