import type { Message, MessageAttributeValue } from "@aws-sdk/client-sqs";
import { InvalidArgumentError } from "@babelqueue/core";

/** A message attribute as Lambda writes it. */
export interface SqsRecordAttribute {
  /** `String`, `Number` or `Binary`, and what the sender appended to it. */
  readonly dataType: string;
  /** Of a String or a Number. */
  readonly stringValue?: string | undefined;
  /** Of a Binary, in base64. */
  readonly binaryValue?: string | undefined;
}

/** A message as Lambda writes it: what is read of it here. */
export interface SqsRecord {
  /** Names the message in the response. */
  readonly messageId: string;
  /** Of this delivery; a release needs it. */
  readonly receiptHandle?: string | undefined;
  /** The envelope. A record without one is poison. */
  readonly body?: string | undefined;
  /** What SQS says of the message. More than these are handed on as they are. */
  readonly attributes?:
    | {
        readonly ApproximateReceiveCount?: string | undefined;
        readonly MessageGroupId?: string | undefined;
      }
    | undefined;
  /** By name. */
  readonly messageAttributes?: Readonly<Record<string, SqsRecordAttribute>> | undefined;
  /** Handed on to handlers. */
  readonly md5OfBody?: string | undefined;
  /** The queue, such as `arn:aws:sqs:eu-central-1:123456789012:orders`. */
  readonly eventSourceARN: string;
}

/**
 * What Lambda calls a function with for a batch of SQS messages (AWS Lambda Developer Guide, "Using
 * Lambda with Amazon SQS"). The `SQSEvent` of `@types/aws-lambda` is one.
 */
export interface SqsEvent {
  /** A batch, of one queue or of several. */
  readonly Records: readonly SqsRecord[];
}

/** What is used of the context of an invocation. The `Context` of `@types/aws-lambda` is one. */
export interface LambdaContext {
  /** Ms until Lambda ends the invocation. */
  getRemainingTimeInMillis(): number;
}

/**
 * The messages that are to come back; Lambda deletes the others, if the event source mapping has
 * `ReportBatchItemFailures`. It is an `SQSBatchResponse` of `@types/aws-lambda`.
 */
export interface SqsBatchResponse {
  /** By `messageId`, each once. */
  batchItemFailures: { itemIdentifier: string }[];
}

/**
 * The records of an event, checked as far as a safe answer needs it. A success would delete the
 * batch of an event that is not understood, and Lambda knows messages by their ids alone.
 *
 * @throws {@link InvalidArgumentError}
 */
export function recordsOf(event: unknown): readonly SqsRecord[] {
  const records: unknown = isObject(event) && "Records" in event ? event.Records : undefined;
  if (!Array.isArray(records)) {
    const got = isObject(event) ? `Records: ${kindOf(records)}` : kindOf(event);
    throw new InvalidArgumentError(
      "event",
      `expected what an SQS event source sends, an object with an array of Records, got ${got}`,
    );
  }
  const nameless = records.findIndex((record) => !hasMessageId(record));
  if (nameless !== -1) {
    const why = "without it Lambda cannot be told that the message is to come back";
    throw new InvalidArgumentError(
      "event",
      `expected each of its Records to have a messageId, number ${nameless} has none: ${why}`,
    );
  }
  return records as SqsRecord[];
}

/** The message as the AWS SDK would have received it, so that a router serves both. */
export function toMessage(record: SqsRecord): Message {
  const { messageId, receiptHandle, body, attributes, md5OfBody } = record;
  return {
    MessageId: messageId,
    ReceiptHandle: receiptHandle,
    MD5OfBody: md5OfBody,
    Body: typeof body === "string" ? body : undefined,
    Attributes: Object.fromEntries(
      Object.entries(attributes ?? {}).filter(([, value]) => typeof value === "string"),
    ),
    MessageAttributes: messageAttributesOf(record),
  };
}

function messageAttributesOf({
  messageAttributes,
}: SqsRecord): Record<string, MessageAttributeValue> {
  const attributes: [string, MessageAttributeValue][] = [];
  for (const [name, attribute] of Object.entries(messageAttributes ?? {})) {
    if (!isObject(attribute)) continue;
    const { dataType: DataType, stringValue, binaryValue } = attribute;
    // Lambda may write null for the one that it is not
    if (typeof stringValue === "string") {
      attributes.push([name, { DataType, StringValue: stringValue }]);
    } else if (typeof binaryValue === "string") {
      const BinaryValue = Uint8Array.from(Buffer.from(binaryValue, "base64"));
      attributes.push([name, { DataType, BinaryValue }]);
    }
  }
  return Object.fromEntries(attributes);
}

function hasMessageId(record: unknown): boolean {
  if (!isObject(record) || !("messageId" in record)) return false;
  return typeof record.messageId === "string" && record.messageId !== "";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
