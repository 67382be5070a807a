import { randomUUID } from "node:crypto";
import type {
  SendMessageBatchRequest,
  SendMessageBatchRequestEntry,
  SendMessageBatchResultEntry,
  SendMessageRequest,
  SendMessageResult,
} from "@aws-sdk/client-sqs";
import { applyEach, checkedEntries } from "./batch.js";
import { ALLOWED_CHARACTERS, refusedCharacter } from "./characters.js";
import type { Context } from "./context.js";
import { contentDeduplicationId, type Original } from "./deduplication.js";
import {
  batchRequestTooLong,
  invalidMessageContents,
  invalidParameter,
  invalidValue,
  missingParameter,
} from "./errors.js";
import { md5, md5OfAttributes } from "./md5.js";
import type { StoredMessage } from "./message.js";
import { checkMessageAttributes } from "./message-attributes.js";
import { MAX_BYTES, messageSize } from "./message-size.js";
import type { BatchResult } from "./operations.js";
import { optionalFifoId, optionalInteger, requiredString } from "./parameters.js";
import type { Queue } from "./queue.js";

type Submission = Omit<SendMessageRequest, "QueueUrl"> | SendMessageBatchRequestEntry;
type Receipt = SendMessageResult &
  Pick<SendMessageBatchResultEntry, "MessageId" | "MD5OfMessageBody">;

const NEEDS_DEDUPLICATION_ID =
  "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly";

export function sendMessage(context: Context, input: SendMessageRequest): SendMessageResult {
  const queue = context.queues.byUrl(input.QueueUrl);
  const receipt = submit(queue, input, context.clock.now());
  queue.polls.wake();
  return receipt;
}

/**
 * Sends each entry by itself, within 1 MiB altogether. A FIFO entry without a group or deduplication
 * id refuses the whole request, as recordings of AWS show.
 */
export function sendMessageBatch(
  context: Context,
  input: SendMessageBatchRequest,
): BatchResult<SendMessageBatchResultEntry> {
  const queue = context.queues.byUrl(input.QueueUrl);
  const entries = checkedEntries(input.Entries);
  const size = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
  if (size > MAX_BYTES) throw batchRequestTooLong(size, MAX_BYTES);
  for (const entry of entries) checkFifoIdsPresent(queue, entry, "batch");
  const now = context.clock.now();
  const result = applyEach(context, "SendMessageBatch", entries, (entry) =>
    submit(queue, entry, now),
  );
  queue.polls.wake();
  return result;
}

function submit(queue: Queue, submission: Submission, now: number): Receipt {
  const body = checkedBody(submission.MessageBody);
  const attributes = submission.MessageAttributes ?? {};
  checkMessageAttributes(attributes);
  const { maximumMessageSize } = queue.settings;
  if (messageSize(body, attributes) > maximumMessageSize) {
    throw invalidParameter(
      `One or more parameters are invalid. Reason: Message must be shorter than ${maximumMessageSize} bytes.`,
    );
  }
  const delaySeconds = checkedDelay(queue, submission.DelaySeconds);
  checkFifoIdsPresent(queue, submission, "single");
  const message = store(queue, {
    messageId: randomUUID(),
    body,
    attributes,
    groupId: optionalFifoId("MessageGroupId", submission.MessageGroupId),
    deduplicationId: deduplicationId(queue, submission, body),
    sequenceNumber: undefined,
    traceHeader: submission.MessageSystemAttributes?.AWSTraceHeader?.StringValue,
    deadLetterSourceArn: undefined,
    sentAt: now,
    receiveCount: 0,
    firstReceivedAt: undefined,
    visibleAt: now + delaySeconds * 1000,
    receive: undefined,
  });
  const attributesDigest = md5OfAttributes(attributes);
  return {
    MessageId: message.messageId,
    MD5OfMessageBody: md5(body),
    ...(attributesDigest !== undefined && { MD5OfMessageAttributes: attributesDigest }),
    ...(message.sequenceNumber !== undefined && { SequenceNumber: message.sequenceNumber }),
  };
}

/** Stores the message, unless it duplicates another: then it is answered as that one was. */
function store(queue: Queue, message: StoredMessage): Original {
  const { deduplicationId: id } = message;
  const original =
    id === undefined ? undefined : queue.deduplication.originalOf(id, message.sentAt);
  if (original !== undefined) return original;
  const numbered = { ...message, sequenceNumber: queue.nextSequenceNumber() };
  if (id !== undefined) queue.deduplication.remember(id, numbered);
  queue.add(numbered);
  return numbered;
}

function sizeOf(entry: SendMessageBatchRequestEntry): number {
  return messageSize(entry.MessageBody ?? "", entry.MessageAttributes ?? {});
}

function checkedBody(value: unknown): string {
  const body = requiredString("MessageBody", value);
  const refused = refusedCharacter(body);
  if (refused === undefined) return body;
  throw invalidMessageContents(
    `Invalid binary character '${refused}' was found in the message body, the set of allowed characters is ${ALLOWED_CHARACTERS}.`,
  );
}

/** FIFO queues take no delay of a single message but zero (API reference, SendMessage). */
function checkedDelay(queue: Queue, value: number | undefined): number {
  const delay = optionalInteger("DelaySeconds", value, 0, 900, queue.settings.delaySeconds);
  if (!queue.settings.fifo) return delay;
  if (value !== undefined && delay > 0) {
    throw invalidValue(
      "DelaySeconds",
      value,
      "The request include parameter that is not valid for this queue type.",
    );
  }
  return queue.settings.delaySeconds;
}

function checkFifoIdsPresent(queue: Queue, submission: Submission, how: "single" | "batch"): void {
  const { fifo, contentBasedDeduplication } = queue.settings;
  if (!fifo) return;
  if (submission.MessageGroupId === undefined) {
    const missing = missingParameter("MessageGroupId");
    throw how === "single" ? missing : invalidParameter(missing.message);
  }
  if (submission.MessageDeduplicationId === undefined && !contentBasedDeduplication)
    throw invalidParameter(NEEDS_DEDUPLICATION_ID);
}

function deduplicationId(queue: Queue, submission: Submission, body: string): string | undefined {
  const given = optionalFifoId("MessageDeduplicationId", submission.MessageDeduplicationId);
  if (queue.settings.fifo) return given ?? contentDeduplicationId(body);
  if (given === undefined) return undefined;
  throw invalidValue(
    "MessageDeduplicationId",
    given,
    "The request includes a parameter that is not valid for this queue type",
  );
}
