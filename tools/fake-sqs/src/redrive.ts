import type { Context } from "./context.js";
import type { StoredMessage } from "./message.js";
import type { Queue } from "./queue.js";

/**
 * The dead-letter queue a message is due for: it was received `maxReceiveCount` times, and the next
 * receive moves it instead of handing it out (Developer Guide, dead-letter queues).
 */
export function deadLetterTarget(
  context: Context,
  queue: Queue,
  message: StoredMessage,
): Queue | undefined {
  const policy = queue.settings.redrivePolicy;
  if (policy === undefined) return undefined;
  if ((message.receive?.count ?? 0) < policy.maxReceiveCount) return undefined;
  return context.queues.byArn(policy.deadLetterTargetArn);
}

/**
 * Moves a message: it keeps its id, its attributes and its count, and is visible at once. The time
 * of sending is kept too, but for FIFO queues (Developer Guide, dead-letter queue retention).
 */
export function moveTo(target: Queue, source: Queue, message: StoredMessage, now: number): void {
  source.remove(message);
  target.add({
    ...message,
    sequenceNumber: target.nextSequenceNumber(),
    deadLetterSourceArn: source.arn,
    sentAt: target.settings.fifo ? now : message.sentAt,
    visibleAt: now,
    receive: undefined,
  });
  target.polls.wake();
}
