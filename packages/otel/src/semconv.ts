import type { Attributes } from "@opentelemetry/api";

/*
 * OpenTelemetry's semantic conventions for messaging, v1.45. Copied, since they are in development:
 * the package @opentelemetry/semantic-conventions asks libraries not to depend on its incubating
 * entry.
 */

const ATTR_SYSTEM_NAME = "messaging.system.name";
/** What `messaging.system.name` was called before; many back ends still look for it. */
const ATTR_SYSTEM = "messaging.system";
const ATTR_OPERATION_NAME = "messaging.operation.name";
const ATTR_OPERATION_TYPE = "messaging.operation.type";
const ATTR_DESTINATION_NAME = "messaging.destination.name";
/** The broker's id of the message. */
export const ATTR_MESSAGE_ID = "messaging.message.id";
/** The `trace_id`: what belongs together, however many traces it takes. */
export const ATTR_CONVERSATION_ID = "messaging.message.conversation_id";
/** On the spans of batches only. */
export const ATTR_BATCH_MESSAGE_COUNT = "messaging.batch.message_count";
export const ATTR_ERROR_TYPE = "error.type";

export const ATTR_URN = "babelqueue.urn";
/** The `meta.id`, which stays the same when the message is sent again by another broker. */
export const ATTR_ENVELOPE_ID = "babelqueue.message.id";
export const ATTR_ATTEMPTS = "babelqueue.attempts";

export const METRIC_SENT_MESSAGES = "messaging.client.sent.messages";
export const METRIC_CONSUMED_MESSAGES = "messaging.client.consumed.messages";
export const METRIC_OPERATION_DURATION = "messaging.client.operation.duration";
export const METRIC_PROCESS_DURATION = "messaging.process.duration";
/** Seconds; the boundaries that the conventions advise for both durations. */
export const DURATION_BOUNDARIES: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** An operation's name and type are the same word here. */
export type Operation = "create" | "send" | "process";

/** The systems whose older name is not the newer one. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  "aws.sqs": "aws_sqs",
  "azure.eventgrid": "eventgrid",
  "azure.eventhubs": "eventhubs",
  "azure.servicebus": "servicebus",
  "gcp.pubsub": "gcp_pubsub",
};

/** What every span and every measurement says. Set when a span starts, so that samplers see it. */
export function operationAttributes(
  operation: Operation,
  system: string,
  queue: string,
): Attributes {
  return {
    [ATTR_SYSTEM_NAME]: system,
    [ATTR_SYSTEM]: OLDER_NAMES[system] ?? system,
    [ATTR_OPERATION_NAME]: operation,
    [ATTR_OPERATION_TYPE]: operation,
    [ATTR_DESTINATION_NAME]: queue,
  };
}
