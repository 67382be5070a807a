import {
  type CreateEnvelopeOptions,
  InvalidArgumentError,
  type MessageDefinition,
  type Outbound,
  type PayloadOf,
  type SendResult,
} from "@babelqueue/core";
import type { SendOptions } from "../wire/outgoing.js";
import type { SqsOutbound } from "./outbound.js";
import type { MaybePromise } from "./turns.js";

export interface PublishOptions
  extends SendOptions,
    Pick<CreateEnvelopeOptions, "traceId" | "meta"> {}

/** One message of a batch. */
export interface BatchMessage<TMessage extends string | MessageDefinition = string>
  extends PublishOptions {
  /** A URN, or a definition whose schema `data` has to fit. */
  readonly urn: TMessage;
  readonly data: TMessage extends MessageDefinition ? PayloadOf<TMessage> : object;
}

export type PublishResult =
  | { readonly ok: true /** The `meta.id`. */; readonly id: string }
  | { readonly ok: false; readonly error: Error };

export interface PublishBatchResult {
  /** One a message, in their order. */
  readonly results: readonly PublishResult[];
}

/** A message ready to be sent, or why it cannot be. */
export type Made =
  | { readonly ok: true; readonly outbound: SqsOutbound }
  | { readonly ok: false; readonly error: Error };

/** What `make` comes to, now or later. Neither throws nor rejects. */
export function attempt(make: () => MaybePromise<SqsOutbound>): MaybePromise<Made> {
  try {
    const outbound = make();
    return outbound instanceof Promise ? outbound.then(toMade, toUnmade) : toMade(outbound);
  } catch (error) {
    return toUnmade(error);
  }
}

function toMade(outbound: SqsOutbound): Made {
  return { ok: true, outbound };
}

function toUnmade(error: unknown): Made {
  return { ok: false, error: error as Error };
}

export function toPublishResult(
  { envelope }: Outbound,
  sent: SendResult | undefined,
): PublishResult {
  if (sent?.ok === true) return { ok: true, id: envelope.meta.id };
  return {
    ok: false,
    error: sent?.error ?? new InvalidArgumentError("middleware", "it gave no result"),
  };
}
