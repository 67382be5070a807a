import type { Message, ReceiveMessageRequest, ReceiveMessageResult } from "@aws-sdk/client-sqs";
import { selectMessageAttributes } from "./attribute-selection.js";
import type { Context } from "./context.js";
import { md5, md5OfAttributes } from "./md5.js";
import type { StoredMessage } from "./message.js";
import { optionalInteger } from "./parameters.js";
import type { Queue } from "./queue.js";
import { receiptHandle } from "./receipt-handle.js";
import { deadLetterTarget, moveTo } from "./redrive.js";
import { selectSystemAttributes, systemAttributeNames } from "./system-attributes.js";

/**
 * Receives 1 to 10 messages; with a wait time, waits for the first. `Messages` is left out when
 * there is none. Each received message gets a new receipt handle and is hidden for the visibility
 * timeout (API reference, ReceiveMessage).
 */
export async function receiveMessage(
  context: Context,
  input: ReceiveMessageRequest,
): Promise<ReceiveMessageResult> {
  const queue = context.queues.byUrl(input.QueueUrl);
  const { visibilityTimeout, waitTimeSeconds } = queue.settings;
  const max = optionalInteger("MaxNumberOfMessages", input.MaxNumberOfMessages, 1, 10, 1);
  const hideFor = optionalInteger(
    "VisibilityTimeout",
    input.VisibilityTimeout,
    0,
    43_200,
    visibilityTimeout,
  );
  const wait = optionalInteger("WaitTimeSeconds", input.WaitTimeSeconds, 0, 20, waitTimeSeconds);
  const systemNames = systemAttributeNames(input);
  const present = (message: StoredMessage): Message =>
    presented(message, systemNames, input.MessageAttributeNames ?? []);

  const attempt = (): StoredMessage[] => take(context, queue, max, hideFor);
  const atOnce = attempt();
  if (atOnce.length > 0) return { Messages: atOnce.map(present) };
  if (wait === 0) return {};
  const later = await queue.polls.wait(attempt, wait * 1000, context.signal);
  return later.length > 0 ? { Messages: later.map(present) } : {};
}

function take(
  context: Context,
  queue: Queue,
  max: number,
  hideForSeconds: number,
): StoredMessage[] {
  const now = context.clock.now();
  const taken: StoredMessage[] = [];
  for (const message of queue.receivable(now)) {
    const deadLetterQueue = deadLetterTarget(context, queue, message);
    if (deadLetterQueue === undefined) {
      hide(queue, message, now, hideForSeconds);
      if (taken.push(message) === max) break;
    } else {
      moveTo(deadLetterQueue, queue, message, now);
    }
  }
  return taken;
}

function hide(queue: Queue, message: StoredMessage, now: number, seconds: number): void {
  message.receiveCount += 1;
  message.receive = {
    handle: receiptHandle(queue.name, message.messageId, message.receiveCount),
    at: now,
    count: (message.receive?.count ?? 0) + 1,
  };
  message.firstReceivedAt ??= now;
  message.visibleAt = now + seconds * 1000;
}

function presented(
  message: StoredMessage,
  systemNames: readonly string[],
  attributeNames: readonly string[],
): Message {
  const system = selectSystemAttributes(message, systemNames);
  const attributes = selectMessageAttributes(message.attributes, attributeNames);
  const attributesDigest = md5OfAttributes(attributes);
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receive?.handle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(Object.keys(system).length > 0 && { Attributes: system }),
    ...(attributesDigest !== undefined && {
      MD5OfMessageAttributes: attributesDigest,
      MessageAttributes: structuredClone(attributes),
    }),
  };
}
