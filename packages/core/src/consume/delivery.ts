import type { DeadLetterReason, Envelope } from "../envelope/envelope.js";
import type { BabelQueueError } from "../errors.js";
import type { Headers } from "../headers.js";

/** One message as a broker delivered it, in terms that no broker owns. A transport makes these. */
export interface Delivery<TMessage = unknown> {
  /** The text of the body, as received. */
  readonly body: string;
  /** What rode beside the envelope, without the contract's own attributes. */
  readonly headers: Readonly<Headers>;
  /** The broker's `bq-schema-version`, exactly as sent. */
  readonly declaredSchemaVersion?: string | undefined;
  /** How often the broker delivered it before: `attempts` is the larger of the body's and this. */
  readonly redeliveries?: number | undefined;
  /** Overrides the body's `attempts`, where a broker's own header is authoritative. */
  readonly attempts?: number | undefined;
  /** The messaging system, as OpenTelemetry names it: `aws.sqs`, `memory`, … */
  readonly system: string;
  /** The name of the queue that it was consumed from. */
  readonly queue: string;
  /** The broker's own id of the message. */
  readonly messageId?: string | undefined;
  /** The native message, handed to handlers as it is. */
  readonly message: TMessage;
  /** Aborted when the handler's hold on the message is lost. */
  readonly signal: AbortSignal;
}

/** A delivery after gate and decode: either an envelope or the reason why there is none. */
export interface Received<TMessage = unknown> {
  readonly delivery: Delivery<TMessage>;
  /** With `attempts` reconciled; null where refused. */
  readonly envelope: Envelope | null;
  /** Why the message is poison or gated; null where there is an envelope. */
  readonly refusal: BabelQueueError | null;
}

/** Handled: acknowledge it. */
export interface Ack {
  readonly kind: "ack";
  readonly envelope: Envelope;
}

/** Remove it unhandled: a `delete` strategy, or an unknown URN that a hook took. */
export interface Drop {
  readonly kind: "drop";
  readonly envelope: Envelope | null;
  readonly error?: Error | undefined;
}

/** Make it visible again after the delay. */
export interface Release {
  readonly kind: "release";
  readonly envelope: Envelope | null;
  /** Whole seconds, 0 to 43 200. */
  readonly delaySeconds: number;
  readonly error?: Error | undefined;
}

/** Do nothing: the broker's own timeout and redrive apply. */
export interface Leave {
  readonly kind: "leave";
  readonly envelope: Envelope | null;
  readonly error?: Error | undefined;
}

/** Write `body` to the dead-letter queue; once that succeeded, remove the original. */
export interface DeadLetterWrite {
  readonly kind: "dead-letter";
  /** The amended envelope; null where the message was refused. */
  readonly envelope: Envelope | null;
  /** `gated`: the version gate refused it, so `body` is what was received. */
  readonly reason: DeadLetterReason | "gated";
  /** What is written: what was received, with a `dead_letter` block. */
  readonly body: string;
  readonly error?: Error | undefined;
}

/** What is to become of a delivery. Core decides it, a transport carries it out. */
export type Outcome = Ack | Drop | Release | Leave | DeadLetterWrite;

/** Turns a delivery into its outcome. Never rejects. */
export type Consume<TMessage = unknown> = (delivery: Delivery<TMessage>) => Promise<Outcome>;

/** What a consume middleware wraps: everything that happens to one message once it is decoded. */
export type Route<TMessage = unknown> = (received: Received<TMessage>) => Promise<Outcome>;

/**
 * Wraps the handling of one message. The first in a list is the outermost. One that throws is
 * reported, and the message is left.
 */
export type ConsumeMiddleware<TMessage = unknown> = (next: Route<TMessage>) => Route<TMessage>;
