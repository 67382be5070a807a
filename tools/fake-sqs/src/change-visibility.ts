import type {
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityBatchResultEntry,
  ChangeMessageVisibilityRequest,
} from "@aws-sdk/client-sqs";
import { applyEach, checkedEntries } from "./batch.js";
import type { Context } from "./context.js";
import { invalidValue, messageNotInFlight, missingParameter } from "./errors.js";
import { isInFlight } from "./message.js";
import type { BatchResult, Nothing } from "./operations.js";
import { integerBetween, requiredString } from "./parameters.js";
import type { Queue } from "./queue.js";
import { messageIdOf } from "./receipt-handle.js";

/** Twelve hours, of one timeout and of all since the receive. */
const MAX_SECONDS = 43_200;

type Change = Pick<ChangeMessageVisibilityRequest, "ReceiptHandle"> & {
  VisibilityTimeout?: number | undefined;
};

export function changeMessageVisibility(
  context: Context,
  input: ChangeMessageVisibilityRequest,
): Nothing {
  const queue = context.queues.byUrl(input.QueueUrl);
  changeOne(context, queue, input, context.clock.now());
  queue.polls.wake();
  return {};
}

export function changeMessageVisibilityBatch(
  context: Context,
  input: ChangeMessageVisibilityBatchRequest,
): BatchResult<ChangeMessageVisibilityBatchResultEntry> {
  const queue = context.queues.byUrl(input.QueueUrl);
  const entries = checkedEntries(input.Entries);
  const now = context.clock.now();
  const result = applyEach(context, "ChangeMessageVisibilityBatch", entries, (entry) =>
    changeOne(context, queue, entry, now),
  );
  queue.polls.wake();
  return result;
}

/**
 * Sets the timeout anew from now. Only the handle of the latest receive, while it lasts, has an
 * effect; the message must not stay hidden longer than 12 hours since it was received
 * (API reference, ChangeMessageVisibility).
 */
function changeOne(context: Context, queue: Queue, change: Change, now: number): Nothing {
  const handle = requiredString("ReceiptHandle", change.ReceiptHandle);
  if (change.VisibilityTimeout === undefined) throw missingParameter("VisibilityTimeout");
  const seconds = integerBetween("VisibilityTimeout", change.VisibilityTimeout, 0, MAX_SECONDS);
  const message = queue.message(messageIdOf(queue.name, handle));
  if (message?.receive === undefined) {
    throw invalidValue(
      "ReceiptHandle",
      handle,
      "Message does not exist or is not available for visibility timeout change.",
    );
  }
  if (message.receive.handle !== handle || !isInFlight(message, now)) {
    if (context.lapsedVisibilityChange === "ignored") return {};
    throw messageNotInFlight();
  }
  if (now + seconds * 1000 > message.receive.at + MAX_SECONDS * 1000) {
    throw invalidValue(
      "VisibilityTimeout",
      seconds,
      `Total VisibilityTimeout for the message is beyond the limit [${MAX_SECONDS} seconds]`,
    );
  }
  message.visibleAt = now + seconds * 1000;
  return {};
}
