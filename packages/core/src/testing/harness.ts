import type { ConsumeOptions } from "../consume/consume.js";
import type { Headers } from "../headers.js";
import type { MessageDefinition, PayloadOf } from "../messages/message.js";
import type { Routes } from "../messages/router.js";
import type { SendMiddleware } from "../send/outbound.js";
import type { PublishResult } from "../send/send.js";

/** What a transport can do besides the least; cases that need more are left out. */
export interface TransportCapabilities {
  /** It carries headers beside the body, `bq-schema-version` among them. */
  readonly headers?: boolean | undefined;
  /** It can put a message off, when it is published and when it is released. */
  readonly delay?: boolean | undefined;
  /** It has queues that keep the order of messages within a group. */
  readonly fifo?: boolean | undefined;
  /** Its publisher takes middleware, definitions and batches; the harness has `publisher`. */
  readonly publisher?: boolean | undefined;
}

/** What the suite gives a consumer; `deadLetters` says whether it is to have a dead-letter queue. */
export type SuiteConsumerOptions = Omit<ConsumeOptions, "middleware">;

export interface SuiteConsumer {
  /** Receives some messages, handles and settles them. Must not wait long where there are none. */
  poll(): Promise<unknown>;
  /** Starts no more handlers; resolves when those that run have ended and are settled. */
  stop(): Promise<unknown>;
}

export interface SuitePublishOptions {
  readonly traceId?: string | undefined;
  /** Only for a transport that carries headers. */
  readonly headers?: Readonly<Headers> | undefined;
  /** Only for a transport that can delay. */
  readonly delaySeconds?: number | undefined;
  /** Only for a FIFO queue. */
  readonly messageGroupId?: string | undefined;
}

/** One message of a batch. */
export interface SuiteBatchMessage extends SuitePublishOptions {
  readonly urn: string | MessageDefinition;
  readonly data: object;
}

/** A publisher of the transport, as it is or wrapped; what `createSend` makes has all of this. */
export interface SuitePublisher {
  publish(urn: string, data: object, options?: SuitePublishOptions): Promise<string>;
  publish<TDefinition extends MessageDefinition>(
    definition: TDefinition,
    data: PayloadOf<TDefinition>,
    options?: SuitePublishOptions,
  ): Promise<string>;
  publishBatch(
    messages: readonly SuiteBatchMessage[],
  ): Promise<{ readonly results: readonly PublishResult[] }>;
}

/** A message in the dead-letter queue. */
export interface SuiteLetter {
  readonly body: string;
  /** What rides beside it; `{}` on a transport without headers. */
  readonly headers: Readonly<Headers>;
}

/** One empty queue and its dead-letter queue, as the suite uses them. A transport's author writes this. */
export interface TransportHarness {
  /** The queue's name, as envelopes and dead letters call it. */
  readonly queue: string;
  /** Publishes by the transport's own publisher; resolves with the `meta.id`. */
  publish(urn: string, data: object, options?: SuitePublishOptions): Promise<string>;
  /** A publisher to the queue. Only for a transport that is capable of it. */
  publisher?(middleware: readonly SendMiddleware[]): SuitePublisher;
  /** Puts any text into the queue with the broker's own client, as another program might. */
  sendRaw(body: string, headers: Readonly<Headers>): Promise<void>;
  /** A consumer of the queue. */
  consumer(routes: Routes, options: SuiteConsumerOptions): SuiteConsumer;
  /** How many messages the queue holds, those included that a consumer holds or has left. */
  pending(): Promise<number>;
  /** Makes messages come back that a consumer left: their timeout lapses, or it is started anew. */
  returnLeft(): Promise<void>;
  /** Lets time pass for the broker. Only for a transport that can delay. */
  elapse?(seconds: number): Promise<void>;
  /** What is in the dead-letter queue. */
  readDeadLetters(): Promise<readonly SuiteLetter[]>;
  /** Releases what the harness holds. The suite has stopped its consumers. */
  dispose(): Promise<void>;
}

/** Makes a harness with an empty queue; `fifo` only where the transport is capable of it. */
export type OpenHarness = (needs: { readonly fifo: boolean }) => Promise<TransportHarness>;
