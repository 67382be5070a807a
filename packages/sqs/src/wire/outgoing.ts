import type { Message, SendMessageBatchRequestEntry } from "@aws-sdk/client-sqs";
import {
  type DeadLetterWrite,
  encodeEnvelope,
  type Headers,
  InvalidArgumentError,
  type Outbound,
  type Warning,
} from "@babelqueue/core";
import { MessageTooLargeError } from "../errors.js";
import {
  type Attribute,
  isBlank,
  type MessageAttributes,
  sizeOfAttribute,
  toAmendedAttributes,
  toMessageAttributes,
  toRefusedAttributes,
} from "./attributes.js";
import type { Queue } from "./queue.js";

/** What SQS takes, a message as well as a request, with attributes. */
export const MAX_BYTES = 1_048_576;
const MAX_DELAY_SECONDS = 900;
/** Of a message group and of a deduplication (Amazon SQS API Reference, SendMessage). */
const ID = /^[!-~]{1,128}$/;

/** A message ready to go, alone or in a batch. */
export interface SendEntry extends Omit<SendMessageBatchRequestEntry, "Id" | "MessageAttributes"> {
  readonly MessageBody: string;
  readonly MessageAttributes: MessageAttributes;
}

/** How one message is to be sent. */
export interface SendOptions {
  /** What travels beside the envelope. SQS has room for four besides the contract's attributes. */
  readonly headers?: Readonly<Headers> | undefined;
  /**
   * FIFO: the group whose order is kept. On a standard queue: the tenant of a fair queue. At most 128
   * ASCII letters, digits and punctuation marks, as for the deduplication id.
   */
  readonly messageGroupId?: string | undefined;
  /** FIFO: SQS takes a message with the same id once in five minutes. Default `meta.id`. */
  readonly deduplicationId?: string | undefined;
  /** Hides the message for so many whole seconds, 0 to 900. Not on FIFO queues. */
  readonly delaySeconds?: number | undefined;
}

/** What a publisher says of all its messages. */
export interface SendDefaults {
  readonly messageGroupId?: string | undefined;
  readonly contentBasedDeduplication?: boolean | undefined;
}

/** UTF-8 bytes as SQS counts them. */
export function sizeOfEntry({ MessageBody, MessageAttributes: attributes }: SendEntry): number {
  let size = Buffer.byteLength(MessageBody);
  for (const attribute of Object.entries(attributes)) size += sizeOfAttribute(attribute);
  return size;
}

/**
 * The SQS message of an outbound one (CONTRACT.md §2).
 *
 * @throws what {@link encodeEnvelope} throws, {@link InvalidArgumentError} for a delay or an id that
 * SQS refuses, {@link MessageTooLargeError}.
 */
export function toSendEntry(
  { envelope, headers }: Outbound,
  options: SendOptions,
  queue: Queue,
  defaults: SendDefaults,
  onWarning: (warning: Warning) => void,
): SendEntry {
  const delay = toDelaySeconds(options.delaySeconds, queue);
  const group =
    given("messageGroupId", options.messageGroupId) ??
    given("messageGroupId", defaults.messageGroupId);
  const entry: SendEntry = {
    MessageBody: encodeEnvelope(envelope),
    MessageAttributes: toMessageAttributes(envelope, headers, onWarning),
    ...(delay === 0 ? undefined : { DelaySeconds: delay }),
    ...(queue.fifo ? { MessageGroupId: group ?? queue.name } : group && { MessageGroupId: group }),
  };
  if (queue.fifo) {
    const fallback = defaults.contentBasedDeduplication === true ? undefined : envelope.meta.id;
    const id = given("deduplicationId", options.deduplicationId) ?? fallback;
    if (id !== undefined) entry.MessageDeduplicationId = id;
  }
  const size = sizeOfEntry(entry);
  if (size > MAX_BYTES) throw new MessageTooLargeError(size, MAX_BYTES);
  return entry;
}

function given(argument: string, text: string | null | undefined): string | undefined {
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string") {
    throw new InvalidArgumentError(argument, `expected a string, got a ${typeof text}`);
  }
  if (isBlank(text)) return undefined;
  if (ID.test(text)) return text;
  const expected = "expected at most 128 ASCII letters, digits and punctuation marks";
  throw new InvalidArgumentError(argument, `${expected}, got ${text.length} characters`);
}

function toDelaySeconds(delaySeconds: number | undefined, { name, fifo }: Queue): number {
  if (delaySeconds === undefined || Number.isNaN(delaySeconds)) return 0;
  const delay = Math.floor(delaySeconds);
  if (delay < 0 || delay > MAX_DELAY_SECONDS || !Number.isInteger(delay)) {
    throw new InvalidArgumentError(
      "delaySeconds",
      `expected 0 to 900 seconds, got ${delaySeconds}`,
    );
  }
  if (fifo && delay > 0) {
    throw new InvalidArgumentError(
      "delaySeconds",
      `${name} is a FIFO queue, and SQS delays no single message of one; set DelaySeconds on the queue`,
    );
  }
  return delay;
}

/**
 * The copy of a received message for the dead-letter queue (CONTRACT.md §4), with riders that say why
 * it is there and where from. Where the copy would be larger than SQS takes, it is what was received,
 * with as many of the attributes as there is room for.
 */
export function toDeadLetterEntry(
  { envelope, reason, body }: DeadLetterWrite,
  { Body = "", Attributes, MessageAttributes, MessageId }: Message,
  origin: Queue,
  deadLetterQueue: Queue,
  onWarning: (warning: Warning) => void,
): SendEntry {
  const fifo = deadLetterQueue.fifo
    ? { MessageGroupId: origin.name, MessageDeduplicationId: MessageId }
    : undefined;
  const originalGroup = origin.fifo ? Attributes?.MessageGroupId : undefined;
  const marks = { reason, originalQueue: origin.name, originalGroup };
  const refused = toRefusedAttributes(MessageAttributes, marks);
  const copy = {
    MessageBody: body,
    MessageAttributes:
      envelope === null
        ? Object.fromEntries(refused)
        : toAmendedAttributes(envelope, MessageAttributes, marks, onWarning),
    ...fifo,
  };
  if (sizeOfEntry(copy) <= MAX_BYTES) return copy;
  const fitting = fit(refused, Buffer.byteLength(Body));
  return { MessageBody: Body, MessageAttributes: fitting, ...fifo };
}

/** As many attributes, in their order, as the body leaves bytes for. */
function fit(attributes: readonly Attribute[], bodySize: number): MessageAttributes {
  let size = bodySize;
  const fitting = attributes.filter((attribute) => {
    const added = size + sizeOfAttribute(attribute);
    if (added > MAX_BYTES) return false;
    size = added;
    return true;
  });
  return Object.fromEntries(fitting);
}
