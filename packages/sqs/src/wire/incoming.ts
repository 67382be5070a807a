import type { Message } from "@aws-sdk/client-sqs";
import type { Delivery } from "@babelqueue/core";
import { headersOf, SCHEMA_VERSION_ATTRIBUTE } from "./attributes.js";
import { type Queue, SYSTEM } from "./queue.js";

/** Translates a received message (docs/wire-contract.md §2). `hold` is asked for its signal when that is used. */
export function toDelivery(
  message: Message,
  queue: Queue,
  hold: { readonly signal: AbortSignal },
): Delivery<Message> {
  return {
    body: message.Body ?? "",
    get headers() {
      return headersOf(message);
    },
    declaredSchemaVersion: message.MessageAttributes?.[SCHEMA_VERSION_ATTRIBUTE]?.StringValue,
    redeliveries: redeliveriesOf(message),
    system: SYSTEM,
    queue: queue.name,
    messageId: message.MessageId,
    message,
    get signal() {
      return hold.signal;
    },
  };
}

/** `ApproximateReceiveCount` − 1; undefined where it is absent or no count. */
function redeliveriesOf({ Attributes }: Message): number | undefined {
  const count = Attributes?.ApproximateReceiveCount;
  return count !== undefined && /^[1-9]\d*$/.test(count) ? Number(count) - 1 : undefined;
}
