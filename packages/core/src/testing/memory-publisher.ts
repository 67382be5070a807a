import { wholeSeconds } from "../consume/delay.js";
import { encodeEnvelope } from "../envelope/codec.js";
import type { Envelope } from "../envelope/envelope.js";
import { SCHEMA_VERSION } from "../envelope/schema-version.js";
import { InvalidArgumentError } from "../errors.js";
import type { Headers } from "../headers.js";
import type { MessageDefinition, PayloadOf } from "../messages/message.js";
import type { Outbound, PublishFields, SendMiddleware, SendResult } from "../send/outbound.js";
import { createSend, type PublishResult, type Sender } from "../send/send.js";
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

export interface MemoryPublishOptions extends MemorySendOptions, PublishFields {}

/** One message of a batch. */
export interface MemoryBatchMessage<TMessage extends string | MessageDefinition = string>
  extends MemoryPublishOptions {
  /** A URN, or a definition whose schema `data` has to fit. */
  readonly urn: TMessage;
  readonly data: TMessage extends MessageDefinition ? PayloadOf<TMessage> : object;
}

export type MemoryPublishResult = PublishResult;

/** Publishes to one queue of a memory transport, in the way of the publishers for real brokers. */
export class MemoryPublisher {
  readonly #sender: Sender<MemorySendOptions>;

  constructor(queue: MemoryQueue, { middleware }: MemoryPublisherOptions) {
    this.#sender = createSend<MemorySendOptions>({
      system: "memory",
      queue: queue.name,
      ordered: queue.fifo,
      middleware,
      transmit: (outbound, options) => send(outbound, options, queue),
    });
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
    return this.#sender.publish(message, data, options);
  }

  /** Publishes an envelope as it is, with its own ids. Rejects as `publish`. */
  async publishEnvelope(
    envelope: Envelope<object>,
    options: MemorySendOptions = {},
  ): Promise<string> {
    return this.#sender.publishEnvelope(envelope, options);
  }

  /** Publishes any number of messages. One that fails fails alone: look at the results. */
  async publishBatch<const TMessages extends readonly (string | MessageDefinition)[]>(
    messages: readonly [...{ readonly [K in keyof TMessages]: MemoryBatchMessage<TMessages[K]> }],
  ): Promise<{ readonly results: readonly MemoryPublishResult[] }> {
    const batch = messages as readonly MemoryBatchMessage<string | MessageDefinition>[];
    return { results: await this.#sender.publishBatch(batch) };
  }

  /** Resolves when everything given so far is sent or has failed. */
  async flush(): Promise<void> {
    await this.#sender.idle();
  }
}

function send(
  { envelope, headers }: Outbound,
  options: MemorySendOptions,
  queue: MemoryQueue,
): SendResult {
  const { messageGroupId, deduplicationId } = options;
  const delaySeconds = wholeSeconds(options.delaySeconds);
  if (queue.fifo && delaySeconds > 0) {
    const problem = `a FIFO queue delays no single message, and ${queue.name} is one`;
    throw new InvalidArgumentError("delaySeconds", problem);
  }
  const messageId = queue.send({
    body: encodeEnvelope(envelope),
    headers: { [SCHEMA_VERSION_HEADER]: String(SCHEMA_VERSION), ...ridersOf(headers) },
    messageGroupId,
    deduplicationId: deduplicationId ?? envelope.meta.id,
    delaySeconds,
  });
  return { ok: true, messageId };
}
