import type {
  DeleteMessageBatchRequest,
  DeleteMessageBatchResultEntry,
  DeleteMessageRequest,
} from "@aws-sdk/client-sqs";
import { applyEach, checkedEntries } from "./batch.js";
import type { Context } from "./context.js";
import { invalidValue } from "./errors.js";
import { isVisible, type StoredMessage } from "./message.js";
import type { BatchResult, Nothing } from "./operations.js";
import { requiredString } from "./parameters.js";
import type { Queue } from "./queue.js";
import { messageIdOf } from "./receipt-handle.js";

export function deleteMessage(context: Context, input: DeleteMessageRequest): Nothing {
  const queue = context.queues.byUrl(input.QueueUrl);
  deleteOne(queue, input.ReceiptHandle, context.clock.now());
  queue.polls.wake();
  return {};
}

export function deleteMessageBatch(
  context: Context,
  input: DeleteMessageBatchRequest,
): BatchResult<DeleteMessageBatchResultEntry> {
  const queue = context.queues.byUrl(input.QueueUrl);
  const entries = checkedEntries(input.Entries);
  const now = context.clock.now();
  const result = applyEach(context, "DeleteMessageBatch", entries, (entry) =>
    deleteOne(queue, entry.ReceiptHandle, now),
  );
  queue.polls.wake();
  return result;
}

/**
 * Deletes by handle. A message already gone is no error. On a standard queue only the handle of the
 * latest receive deletes, an older one succeeds without effect, and a lapsed one still deletes while
 * nobody received the message again; on a FIFO queue an old or lapsed handle is refused as expired
 * (API reference, DeleteMessage; recordings of AWS).
 */
function deleteOne(queue: Queue, receiptHandle: string | undefined, now: number): Nothing {
  const handle = requiredString("ReceiptHandle", receiptHandle);
  const message = queue.message(messageIdOf(queue.name, handle));
  if (message === undefined) return {};
  const latest = message.receive?.handle === handle;
  if (queue.settings.fifo && !isHeld(message, handle, now))
    throw invalidValue("ReceiptHandle", handle, "The receipt handle has expired.");
  if (latest) queue.delete(message);
  return {};
}

function isHeld(message: StoredMessage, handle: string, now: number): boolean {
  return message.receive?.handle === handle && !isVisible(message, now);
}
