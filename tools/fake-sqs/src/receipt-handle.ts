import { receiptHandleIsInvalid } from "./errors.js";

const PREFIX = "AQEB";

/** A handle for the nth receive of a message: opaque to callers, new at every receive. */
export function receiptHandle(queueName: string, messageId: string, receive: number): string {
  return PREFIX + Buffer.from(`${queueName} ${messageId} ${receive}`).toString("base64");
}

/**
 * The message id in a handle. A malformed handle, or one of another queue, is refused with
 * `ReceiptHandleIsInvalid` (API reference, DeleteMessage).
 */
export function messageIdOf(queueName: string, handle: string): string {
  const payload = handle.slice(PREFIX.length);
  const text = Buffer.from(payload, "base64").toString();
  const intact = handle.startsWith(PREFIX) && Buffer.from(text).toString("base64") === payload;
  const [queue, messageId] = intact ? text.split(" ") : [];
  if (queue === queueName && messageId !== undefined) return messageId;
  throw receiptHandleIsInvalid(handle);
}
