import type {
  Envelope,
  MessageDefinition,
  PayloadOf,
  SendMiddleware,
  Warning,
} from "@babelqueue/core";
import { InvalidArgumentError } from "@babelqueue/core";
import { createReporter, createSend, type Sender } from "@babelqueue/core/transport";
import { SqsSendError } from "../errors.js";
import { requireClient, type SqsClient } from "../requests/client.js";
import { createSends, type Sends } from "../requests/send.js";
import { HEADER_LIMIT } from "../wire/attributes.js";
import { type SendOptions, toOutgoing } from "../wire/outgoing.js";
import { type Queue, queueOf, SYSTEM } from "../wire/queue.js";
import type { BatchMessage, PublishBatchResult, PublishOptions } from "./messages.js";

export interface SqsPublisherOptions {
  /** Says what the URL says already: `true` for a `.fifo` URL. Anything else is refused. */
  readonly fifo?: boolean | undefined;
  /** The message group of messages that name none. Default on FIFO: the queue's name. */
  readonly messageGroupId?: string | undefined;
  /** The FIFO queue deduplicates by content, so no deduplication id is sent. Default `false`. */
  readonly contentBasedDeduplication?: boolean | undefined;
  /**
   * Publishes made at the same time travel in one request, ten at most. `false`: each alone.
   * `{ lingerMs }`: wait so many ms for more. Default `true`: those of one tick, and those made
   * while requests are under way; a lone publish does not wait.
   */
  readonly batching?: boolean | { readonly lingerMs: number } | undefined;
  /** At most this many requests are under way. Default 10. */
  readonly maxInFlight?: number | undefined;
  /** Around sending, the first outermost. */
  readonly middleware?: readonly SendMiddleware[] | undefined;
  /** Told of headers and attributes that SQS does not take. Default: a process warning. */
  readonly onWarning?: ((warning: Warning) => unknown) | undefined;
}

/**
 * Publishes envelopes to one SQS queue, standard or FIFO (docs/wire-contract.md §2).
 *
 * @throws `InvalidArgumentError` for a URL that names no queue, or `fifo` against the URL.
 */
export class SqsPublisher {
  readonly #sends: Sends;
  readonly #sender: Sender<SendOptions>;

  constructor(client: SqsClient, queueUrl: string, options: SqsPublisherOptions = {}) {
    const { batching = true, maxInFlight = 10, middleware } = options;
    requireClient(client);
    const queue = queueOf(queueUrl);
    requireKind(queue, options.fifo);
    if (!Number.isInteger(maxInFlight) || maxInFlight < 1) {
      throw new InvalidArgumentError(
        "maxInFlight",
        `expected a whole number from 1, got ${maxInFlight}`,
      );
    }
    const { warning } = createReporter(options);
    const sends = createSends({
      client,
      queue,
      lingerMs: typeof batching === "object" ? batching.lingerMs : undefined,
      maxItems: batching === false ? 1 : undefined,
      maxInFlight,
    });
    this.#sends = sends;
    this.#sender = createSend<SendOptions>({
      system: SYSTEM,
      queue: queue.name,
      headerLimit: HEADER_LIMIT,
      ordered: queue.fifo,
      middleware,
      transmit: async (outbound, fields) => {
        const result = await sends.add(toOutgoing(outbound, fields, queue, options, warning));
        if (!result.ok) return { ok: false, error: new SqsSendError(queue.name, result.failed) };
        return result.value === undefined ? { ok: true } : { ok: true, messageId: result.value };
      },
    });
  }

  /**
   * Publishes a new message of a URN without a schema; resolves with its `meta.id` once SQS has taken
   * it. `TData` is for the caller to name; nothing checks it against the URN.
   *
   * @throws (rejects) `InvalidEnvelopeError` if the URN is blank, `InvalidPayloadError`,
   * `InvalidArgumentError` and {@link MessageTooLargeError} before the network, else
   * {@link SqsSendError}.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as router.on has it
  publish<TData extends object>(
    urn: string,
    data: TData,
    options?: PublishOptions,
  ): Promise<string>;
  /**
   * Publishes a new message of a defined kind, whose data has to fit the schema and is sent as it
   * was given; resolves with its `meta.id` once SQS has taken it.
   *
   * @throws (rejects) as with a URN, and `InvalidPayloadError` if the data does not fit.
   */
  publish<TDefinition extends MessageDefinition>(
    definition: TDefinition,
    data: PayloadOf<TDefinition>,
    options?: PublishOptions,
  ): Promise<string>;
  async publish(
    message: string | MessageDefinition,
    data: object,
    options: PublishOptions = {},
  ): Promise<string> {
    return this.#sender.publish(message, data, options);
  }

  /**
   * Publishes an envelope as it is, with its own ids, and holds it to no schema. Rejects as
   * `publish`.
   */
  async publishEnvelope(envelope: Envelope<object>, options: SendOptions = {}): Promise<string> {
    return this.#sender.publishEnvelope(envelope, options);
  }

  /**
   * Publishes any number of messages. One that fails fails alone: look at the results. Rejects for
   * nothing that concerns single messages.
   */
  async publishBatch<const TMessages extends readonly (string | MessageDefinition)[]>(
    messages: readonly [...{ readonly [K in keyof TMessages]: BatchMessage<TMessages[K]> }],
  ): Promise<PublishBatchResult> {
    const batch = messages as readonly BatchMessage<string | MessageDefinition>[];
    return { results: await this.#sender.publishBatch(batch) };
  }

  /** Resolves when everything given so far is sent or has failed. */
  async flush(): Promise<void> {
    const idle = this.#sender.idle();
    this.#sends.hurry(idle);
    await idle;
  }
}

function requireKind({ name, fifo }: Queue, asked: boolean | undefined): void {
  if (asked === undefined || asked === fifo) return;
  throw new InvalidArgumentError(
    "fifo",
    `${asked} was given for queue ${name}; the name of a FIFO queue ends in .fifo, and no other does`,
  );
}
