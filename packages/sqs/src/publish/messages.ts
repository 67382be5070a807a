import type { MessageDefinition, PayloadOf } from "@babelqueue/core";
import type { PublishFields, PublishResult } from "@babelqueue/core/transport";
import type { SendOptions } from "../wire/outgoing.js";

export type { PublishResult } from "@babelqueue/core/transport";

export interface PublishOptions extends SendOptions, PublishFields {}

/** One message of a batch. */
export interface BatchMessage<TMessage extends string | MessageDefinition = string>
  extends PublishOptions {
  /** A URN, or a definition whose schema `data` has to fit. */
  readonly urn: TMessage;
  readonly data: TMessage extends MessageDefinition ? PayloadOf<TMessage> : object;
}

export interface PublishBatchResult {
  /** One a message, in their order. */
  readonly results: readonly PublishResult[];
}
