import type { CreateEnvelopeOptions } from "../envelope/create.js";
import type { Envelope } from "../envelope/envelope.js";
import type { Headers } from "../headers.js";

/**
 * One message on its way out, before it is encoded. A middleware passes on this object or a spread
 * copy of it: transports keep what is theirs on it.
 */
export interface Outbound {
  readonly envelope: Envelope;
  readonly headers: Readonly<Headers>;
  /** The messaging system, as OpenTelemetry names it: `aws.sqs`, `memory`, … */
  readonly system: string;
  readonly queue: string;
  /** The caller chose the `trace_id`. */
  readonly traceIdGiven: boolean;
  /** How many headers the broker can carry besides the contract's. Default: any number. */
  readonly headerLimit?: number | undefined;
}

/** What became of one message: sent, with the broker's own id of it, or not. */
export type SendResult =
  | { readonly ok: true; readonly messageId?: string }
  | { readonly ok: false; readonly error: Error };

/** Sends messages. One result a message, in their order. Never rejects. */
export type Send = (batch: readonly Outbound[]) => Promise<readonly SendResult[]>;

/**
 * Wraps sending. Called once for each publish or publishBatch, in the caller's async context,
 * before coalescing, encoding and size checks. The first in a list is the outermost. One that
 * throws fails the messages it was given.
 */
export type SendMiddleware = (next: Send) => Send;

/** What every transport takes with a message, besides options of its own. */
export interface SendFields {
  /** What travels beside the envelope. */
  readonly headers?: Readonly<Headers> | undefined;
}

/** The same for a message whose envelope is made here. */
export interface PublishFields
  extends SendFields,
    Pick<CreateEnvelopeOptions, "traceId" | "meta"> {}

/** Where messages go: what each {@link Outbound} says of it. */
export type Destination = Pick<Outbound, "system" | "queue" | "headerLimit">;
