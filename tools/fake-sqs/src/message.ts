import type { MessageAttributes } from "./message-attributes.js";

/** A message in a queue. What was sent never changes, where it stands does. */
export interface StoredMessage {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  readonly sequenceNumber: string | undefined;
  /** The system attribute `AWSTraceHeader`, the only one a sender may set. */
  readonly traceHeader: string | undefined;
  /** The ARN of the queue it was moved from, in a dead-letter queue. */
  readonly deadLetterSourceArn: string | undefined;
  readonly sentAt: number;
  /** What `ApproximateReceiveCount` says; goes on counting in the dead-letter queue. */
  receiveCount: number;
  firstReceivedAt: number | undefined;
  /** Invisible before this time, whether delayed or in flight. */
  visibleAt: number;
  /** The latest receive from this queue, if there was one. */
  receive: Receive | undefined;
}

interface Receive {
  readonly handle: string;
  readonly at: number;
  /** Counts the receives from this queue alone, for its `maxReceiveCount`. */
  readonly count: number;
}

export function isVisible(message: StoredMessage, now: number): boolean {
  return message.visibleAt <= now;
}

/** Received and neither deleted nor visible again (Developer Guide, in-flight messages). */
export function isInFlight(message: StoredMessage, now: number): boolean {
  return message.receive !== undefined && !isVisible(message, now);
}

/** Sent with a delay that has not passed. */
export function isDelayed(message: StoredMessage, now: number): boolean {
  return message.receive === undefined && !isVisible(message, now);
}

/** What a test sees of a message; a copy. */
export interface MessageSnapshot {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  readonly receiveCount: number;
  readonly visibleAt: number;
  readonly inFlight: boolean;
}

export function snapshot(message: StoredMessage, now: number): MessageSnapshot {
  return {
    messageId: message.messageId,
    body: message.body,
    attributes: structuredClone(message.attributes),
    groupId: message.groupId,
    deduplicationId: message.deduplicationId,
    receiveCount: message.receiveCount,
    visibleAt: message.visibleAt,
    inFlight: isInFlight(message, now),
  };
}
