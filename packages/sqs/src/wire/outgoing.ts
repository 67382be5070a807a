import type { SendMessageBatchRequestEntry } from "@aws-sdk/client-sqs";
import {
  encodeEnvelope,
  type Headers,
  InvalidArgumentError,
  type Outbound,
  type Warning,
} from "@babelqueue/core";
import { isNonBlank } from "@babelqueue/core/transport";
import { MessageTooLargeError } from "../errors.js";
import { type MessageAttributes, sizeOfAttribute, toMessageAttributes } from "./attributes.js";
import type { Queue } from "./queue.js";

/** What SQS takes, a message as well as a request, with attributes. */
export const MAX_BYTES = 1_048_576;
const MAX_DELAY_SECONDS = 900;
/** Of a message group and of a deduplication (Amazon SQS API Reference, SendMessage). */
const ID = /^[!-~]{1,128}$/;

/** A message ready to go, alone or in a batch. */
export interface OutgoingMessage
  extends Omit<SendMessageBatchRequestEntry, "Id" | "MessageAttributes"> {
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
export function sizeOf({ MessageBody, MessageAttributes: attributes }: OutgoingMessage): number {
  let size = Buffer.byteLength(MessageBody);
  for (const attribute of Object.entries(attributes)) size += sizeOfAttribute(attribute);
  return size;
}

/**
 * The SQS message of an outbound one (docs/wire-contract.md §2).
 *
 * @throws what {@link encodeEnvelope} throws, {@link InvalidArgumentError} for a delay or an id that
 * SQS refuses, {@link MessageTooLargeError}.
 */
export function toOutgoing(
  { envelope, headers }: Outbound,
  options: SendOptions,
  queue: Queue,
  defaults: SendDefaults,
  onWarning: (warning: Warning) => void,
): OutgoingMessage {
  const delay = toDelaySeconds(options.delaySeconds, queue);
  const group =
    given("messageGroupId", options.messageGroupId) ??
    given("messageGroupId", defaults.messageGroupId);
  const message: OutgoingMessage = {
    MessageBody: encodeEnvelope(envelope),
    MessageAttributes: toMessageAttributes(envelope, headers, onWarning),
    ...(delay === 0 ? undefined : { DelaySeconds: delay }),
    ...(queue.fifo ? { MessageGroupId: group ?? queue.name } : group && { MessageGroupId: group }),
  };
  if (queue.fifo) {
    const id = given("deduplicationId", options.deduplicationId);
    if (id !== undefined) message.MessageDeduplicationId = id;
    else if (defaults.contentBasedDeduplication !== true) {
      message.MessageDeduplicationId = requireId(envelope.meta.id);
    }
  }
  const size = sizeOf(message);
  if (size > MAX_BYTES) throw new MessageTooLargeError(size, MAX_BYTES);
  return message;
}

function given(argument: string, text: string | null | undefined): string | undefined {
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string") {
    throw new InvalidArgumentError(argument, `expected a string, got a ${typeof text}`);
  }
  if (!isNonBlank(text)) return undefined;
  if (ID.test(text)) return text;
  const expected = "expected at most 128 ASCII letters, digits and punctuation marks";
  throw new InvalidArgumentError(argument, `${expected}, got ${text.length} characters`);
}

/** The `meta.id` of an envelope of another producer may be anything, or missing. */
function requireId(id: unknown): string {
  const usable = given("meta.id", id as string);
  if (usable !== undefined) return usable;
  const problem =
    "the envelope has no meta.id to deduplicate by: give a deduplicationId, or turn content-based deduplication on";
  throw new InvalidArgumentError("deduplicationId", problem);
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
