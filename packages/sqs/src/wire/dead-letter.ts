import type { Message } from "@aws-sdk/client-sqs";
import type { DeadLetterWrite, Envelope, Warning } from "@babelqueue/core";
import {
  type Attribute,
  addRiders,
  contractAttributes,
  entriesOf,
  isRider,
  MAX_ATTRIBUTES,
  type MessageAttributes,
  type OnWarning,
  type ReceivedAttributes,
  sizeOfAttribute,
  sortRiders,
} from "./attributes.js";
import { MAX_BYTES, type OutgoingMessage, sizeOf } from "./outgoing.js";
import type { Queue } from "./queue.js";

/**
 * The copy of a received message for the dead-letter queue (docs/wire-contract.md §4), with riders that say why
 * it is there and where from. Where the copy would be larger than SQS takes, it is what was received,
 * with as many of the attributes as there is room for.
 */
export function toDeadLetter(
  { envelope, reason, body }: DeadLetterWrite,
  { Body = "", Attributes, MessageAttributes, MessageId }: Message,
  origin: Queue,
  deadLetterQueue: Queue,
  onWarning: (warning: Warning) => void,
): OutgoingMessage {
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
  if (sizeOf(copy) <= MAX_BYTES) return copy;
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

/** Why a message lies in a dead-letter queue, and where it came from. */
interface DeadLetterMarks {
  readonly reason: string;
  readonly originalQueue: string;
  /** The message group, of a message from a FIFO queue. */
  readonly originalGroup?: string | undefined;
}

/** The attributes of an envelope that is dead-lettered: its own, the marks, the riders it came with. */
function toAmendedAttributes(
  envelope: Envelope<object>,
  received: ReceivedAttributes,
  marks: DeadLetterMarks,
  onWarning: OnWarning,
): MessageAttributes {
  const attributes = contractAttributes(envelope, onWarning);
  const marked = attributesOf(marks);
  Object.assign(attributes, marked);
  addRiders(
    attributes,
    entriesOf(received).filter(([name]) => isRider(name) && !Object.hasOwn(marked, name)),
    onWarning,
  );
  return attributes;
}

/**
 * The attributes of a message that was refused, in the order in which they are to fit: those it came
 * with, first the contract's, then the marks, then the others; ten at most (docs/wire-contract.md §4).
 */
function toRefusedAttributes(
  received: ReceivedAttributes,
  marks: DeadLetterMarks,
): readonly Attribute[] {
  const entries = entriesOf(received);
  const marked = attributesOf(marks);
  return [
    ...entries.filter(([name]) => !isRider(name)),
    ...Object.entries(marked),
    ...sortRiders(entries.filter(([name]) => isRider(name) && !Object.hasOwn(marked, name))),
  ].slice(0, MAX_ATTRIBUTES);
}

function attributesOf({
  reason,
  originalQueue,
  originalGroup,
}: DeadLetterMarks): MessageAttributes {
  const values = {
    "bq-dead-letter-reason": reason,
    "bq-original-queue": originalQueue,
    "bq-original-group": originalGroup,
  };
  const attributes: MessageAttributes = {};
  for (const [name, StringValue] of Object.entries(values)) {
    if (StringValue !== undefined) attributes[name] = { DataType: "String", StringValue };
  }
  return attributes;
}
