import type { MessageSystemAttributeName, ReceiveMessageRequest } from "@aws-sdk/client-sqs";
import { unknownAttribute } from "./errors.js";
import type { StoredMessage } from "./message.js";

export type SystemAttributes = Partial<Record<MessageSystemAttributeName, string>>;

const NAMES: ReadonlySet<string> = new Set<MessageSystemAttributeName>([
  "All",
  "AWSTraceHeader",
  "ApproximateFirstReceiveTimestamp",
  "ApproximateReceiveCount",
  "DeadLetterQueueSourceArn",
  "MessageDeduplicationId",
  "MessageGroupId",
  "SenderId",
  "SentTimestamp",
  "SequenceNumber",
]);

/** The names asked for, by the present parameter or by the deprecated one; unknown ones are refused. */
export function systemAttributeNames(input: ReceiveMessageRequest): readonly string[] {
  const names = [...(input.MessageSystemAttributeNames ?? []), ...(input.AttributeNames ?? [])];
  const unknown = names.find((name) => !NAMES.has(name));
  if (unknown !== undefined) throw unknownAttribute(unknown);
  return names;
}

/** The system attributes of a received message, as far as they are asked for and it has them. */
export function selectSystemAttributes(
  message: StoredMessage,
  names: readonly string[],
): SystemAttributes {
  const all: SystemAttributes = {
    SenderId: "AIDAFAKESQS",
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
    ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
    ...(message.deduplicationId !== undefined && {
      MessageDeduplicationId: message.deduplicationId,
    }),
    ...(message.sequenceNumber !== undefined && { SequenceNumber: message.sequenceNumber }),
    ...(message.traceHeader !== undefined && { AWSTraceHeader: message.traceHeader }),
    ...(message.deadLetterSourceArn !== undefined && {
      DeadLetterQueueSourceArn: message.deadLetterSourceArn,
    }),
  };
  if (names.includes("All")) return all;
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}
