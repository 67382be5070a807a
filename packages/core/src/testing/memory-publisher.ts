import { wholeSeconds } from "../consume/delay.js";
import { encodeEnvelope } from "../envelope/codec.js";
import {
  type CreateEnvelopeOptions,
  type Envelope,
  prepareEnvelope,
} from "../envelope/envelope.js";
import { isNonBlank } from "../envelope/json.js";
import { SCHEMA_VERSION } from "../envelope/schema-version.js";
import { asError, InvalidArgumentError } from "../errors.js";
import type { Headers } from "../headers.js";
import type { MessageDefinition, PayloadOf } from "../messages/message.js";
import type { Outbound, Send, SendMiddleware, SendResult } from "../send/outbound.js";
import { ridersOf, SCHEMA_VERSION_HEADER } from "./memory-message.js";
import type { MemoryQueue } from "./memory-queue.js";

export interface MemoryPublisherOptions {
  /** Around sending, the first outermost. */
  readonly middleware?: readonly SendMiddleware[] | undefined;
}

/** How one message is to be sent; a subset of it is what other transports take. */
export interface MemorySendOptions {
  /** What travels beside the envelope. */
  readonly headers?: Readonly<Headers> | undefined;
  /** FIFO: the group whose order is kept. Default: the queue's name. */
  readonly messageGroupId?: string | undefined;
  /** FIFO: the queue takes a message with the same id once in five minutes. Default `meta.id`. */
  readonly deduplicationId?: string | undefined;
  /** Hides the message for so many whole seconds. Not on FIFO queues. */
  readonly delaySeconds?: number | undefined;
}

export interface MemoryPublishOptions
  extends MemorySendOptions,
    Pick<CreateEnvelopeOptions, "traceId" | "meta"> {}

/** One message of a batch. */
export interface MemoryBatchMessage<TMessage extends string | MessageDefinition = string>
  extends MemoryPublishOptions {
  /** A URN, or a definition whose schema `data` has to fit. */
  readonly urn: TMessage;
  readonly data: TMessage extends MessageDefinition ? PayloadOf<TMessage> : object;
}

export type MemoryPublishResult =
  | { readonly ok: true /** The `meta.id`. */; readonly id: string }
  | { readonly ok: false; readonly error: Error };

/** Where the transport keeps what is its own on an {@link Outbound}; a spread copies it. */
const OPTIONS = Symbol("memory.sendOptions");

interface MemoryOutbound extends Outbound {
  readonly [OPTIONS]?: MemorySendOptions;
}

/** Publishes to one queue of a memory transport, in the way of the publishers for real brokers. */
export class MemoryPublisher {
  readonly #queue: MemoryQueue;
  readonly #send: Send;

  constructor(queue: MemoryQueue, { middleware = [] }: MemoryPublisherOptions) {
    this.#queue = queue;
    this.#send = middleware.reduceRight<Send>(
      (next, wrap) => wrap(next),
      async (batch) => batch.map((outbound) => this.#transmit(outbound)),
    );
  }

  /**
   * Publishes a new message of a defined kind, whose data has to fit the schema, or of a URN without
   * one; resolves with its `meta.id`.
   *
   * @throws (rejects) `InvalidEnvelopeError`, `InvalidPayloadError`,
   * `InvalidArgumentError`, and what a middleware fails with.
   */
  publish(urn: string, data: object, options?: MemoryPublishOptions): Promise<string>;
  publish<TDefinition extends MessageDefinition>(
    definition: TDefinition,
    data: PayloadOf<TDefinition>,
    options?: MemoryPublishOptions,
  ): Promise<string>;
  async publish(
    message: string | MessageDefinition,
    data: object,
    options: MemoryPublishOptions = {},
  ): Promise<string> {
    return this.#sendOne(await this.#create(message, data, options));
  }

  /** Publishes an envelope as it is, with its own ids. Rejects as `publish`. */
  async publishEnvelope(
    envelope: Envelope<object>,
    options: MemorySendOptions = {},
  ): Promise<string> {
    return this.#sendOne(this.#outbound(envelope, options, true));
  }

  /** Publishes any number of messages. One that fails fails alone: look at the results. */
  async publishBatch<const TMessages extends readonly (string | MessageDefinition)[]>(
    messages: readonly [...{ readonly [K in keyof TMessages]: MemoryBatchMessage<TMessages[K]> }],
  ): Promise<{ readonly results: readonly MemoryPublishResult[] }> {
    const results: MemoryPublishResult[] = [];
    const good: { readonly index: number; readonly outbound: MemoryOutbound }[] = [];
    const batch = messages as readonly MemoryBatchMessage<string | MessageDefinition>[];
    for (const [index, message] of batch.entries()) {
      try {
        good.push({ index, outbound: await this.#create(message.urn, message.data, message) });
      } catch (thrown) {
        results[index] = { ok: false, error: asError(thrown) };
      }
    }
    const sent = await this.#dispatch(good.map(({ outbound }) => outbound));
    good.forEach(({ index, outbound }, position) => {
      results[index] = toPublishResult(outbound, sent[position]);
    });
    return { results };
  }

  /** For the likeness to other publishers: here everything given is sent at once. */
  async flush(): Promise<void> {}

  async #create(
    message: string | MessageDefinition,
    data: object,
    options: MemoryPublishOptions,
  ): Promise<MemoryOutbound> {
    const { traceId, meta } = options;
    const queue = this.#queue.name;
    const envelope = await prepareEnvelope(message, data, { queue, traceId, meta });
    return this.#outbound(envelope, options, isNonBlank(traceId));
  }

  #outbound(
    envelope: Envelope<object>,
    options: MemorySendOptions,
    traceIdGiven: boolean,
  ): MemoryOutbound {
    return {
      envelope: envelope as Envelope,
      headers: options.headers ?? {},
      system: "memory",
      queue: this.#queue.name,
      traceIdGiven,
      [OPTIONS]: options,
    };
  }

  async #sendOne(outbound: MemoryOutbound): Promise<string> {
    const [sent] = await this.#dispatch([outbound]);
    const result = toPublishResult(outbound, sent);
    if (!result.ok) throw result.error;
    return result.id;
  }

  /** Through the middleware, of which one that throws fails what it was given. */
  async #dispatch(batch: readonly MemoryOutbound[]): Promise<readonly SendResult[]> {
    try {
      return await this.#send(batch);
    } catch (thrown) {
      const error = asError(thrown);
      return batch.map(() => ({ ok: false, error }));
    }
  }

  #transmit(outbound: MemoryOutbound): SendResult {
    const { envelope, headers, [OPTIONS]: options = {} } = outbound;
    const { messageGroupId, deduplicationId } = options;
    const delaySeconds = wholeSeconds(options.delaySeconds);
    try {
      if (this.#queue.fifo && delaySeconds > 0) {
        const problem = `a FIFO queue delays no single message, and ${this.#queue.name} is one`;
        throw new InvalidArgumentError("delaySeconds", problem);
      }
      const messageId = this.#queue.send({
        body: encodeEnvelope(envelope),
        headers: { [SCHEMA_VERSION_HEADER]: String(SCHEMA_VERSION), ...ridersOf(headers) },
        messageGroupId,
        deduplicationId: deduplicationId ?? envelope.meta.id,
        delaySeconds,
      });
      return { ok: true, messageId };
    } catch (thrown) {
      return { ok: false, error: asError(thrown) };
    }
  }
}

function toPublishResult(
  { envelope }: Outbound,
  sent: SendResult | undefined,
): MemoryPublishResult {
  if (sent?.ok === true) return { ok: true, id: envelope.meta.id };
  const missing = "it must return one result a message, in order";
  return { ok: false, error: sent?.error ?? new InvalidArgumentError("middleware", missing) };
}
