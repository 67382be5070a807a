import {
  createReporter,
  type Envelope,
  InvalidArgumentError,
  type MessageDefinition,
  type Outbound,
  type PayloadOf,
  prepareEnvelope,
  type Send,
  type SendMiddleware,
  type SendResult,
  type Warning,
} from "@babelqueue/core";
import { SqsSendError } from "../errors.js";
import { requireClient, type SqsClient } from "../requests/client.js";
import { createSendBatcher, type SendBatcher } from "../requests/send.js";
import { isBlank } from "../wire/attributes.js";
import { type SendEntry, type SendOptions, toSendEntry } from "../wire/outgoing.js";
import { type Queue, queueOf } from "../wire/queue.js";
import {
  attempt,
  type BatchMessage,
  type Made,
  type PublishBatchResult,
  type PublishOptions,
  type PublishResult,
  toPublishResult,
} from "./messages.js";
import { optionsOf, type SqsOutbound, toOutbound } from "./outbound.js";
import { withMiddleware } from "./send-middleware.js";
import { type MaybePromise, Turns } from "./turns.js";

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
 * Publishes envelopes to one SQS queue, standard or FIFO (CONTRACT.md §2).
 *
 * @throws `InvalidArgumentError` for a URL that names no queue, or `fifo` against the URL.
 */
export class SqsPublisher {
  readonly #queue: Queue;
  readonly #options: SqsPublisherOptions;
  readonly #batcher: SendBatcher;
  readonly #send: Send;
  readonly #turns: Turns;
  /** Publishes under way: in a schema, a middleware or beyond. */
  readonly #open = new Set<Promise<unknown>>();
  #flushes = 0;
  readonly #warn: (warning: Warning) => void;

  constructor(client: SqsClient, queueUrl: string, options: SqsPublisherOptions = {}) {
    const { batching = true, maxInFlight = 10, middleware = [] } = options;
    requireClient(client);
    this.#queue = queueOf(queueUrl);
    this.#turns = new Turns(this.#queue.fifo);
    requireKind(this.#queue, options.fifo);
    if (!Number.isInteger(maxInFlight) || maxInFlight < 1) {
      throw new InvalidArgumentError(
        "maxInFlight",
        `expected a whole number from 1, got ${maxInFlight}`,
      );
    }
    this.#options = options;
    this.#batcher = createSendBatcher(client, this.#queue, {
      lingerMs: typeof batching === "object" ? batching.lingerMs : undefined,
      maxEntries: batching === false ? 1 : undefined,
      maxInFlight,
    });
    this.#warn = createReporter(options).warning;
    this.#send = withMiddleware(middleware, (batch) =>
      Promise.all(batch.map((outbound) => this.#transmit(outbound))),
    );
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
    return this.#publishOne(() => this.#create(message, data, options));
  }

  /**
   * Publishes an envelope as it is, with its own ids, and holds it to no schema. Rejects as
   * `publish`.
   */
  async publishEnvelope(envelope: Envelope<object>, options: SendOptions = {}): Promise<string> {
    return this.#publishOne(() => toOutbound(envelope, options, this.#queue, true));
  }

  /**
   * Publishes any number of messages. One that fails fails alone: look at the results. Rejects for
   * nothing that concerns single messages.
   */
  async publishBatch<const TMessages extends readonly (string | MessageDefinition)[]>(
    messages: readonly [...{ readonly [K in keyof TMessages]: BatchMessage<TMessages[K]> }],
  ): Promise<PublishBatchResult> {
    if (!Array.isArray(messages)) {
      throw new InvalidArgumentError("messages", "expected an array of messages");
    }
    const makers = (messages as readonly BatchMessage<string | MessageDefinition>[]).map(
      (message) => () => {
        if (typeof message === "object" && message !== null) {
          return this.#create(message.urn, message.data, message);
        }
        throw new InvalidArgumentError("messages", "expected each to be { urn, data, … }");
      },
    );
    return { results: await this.#publishAll(makers) };
  }

  /** Resolves when everything given so far is sent or has failed. */
  async flush(): Promise<void> {
    this.#flushes += 1;
    this.#batcher.hurry();
    await Promise.all(this.#open);
    this.#flushes -= 1;
  }

  async #publishOne(make: () => MaybePromise<SqsOutbound>): Promise<string> {
    const [result] = await this.#publishAll([make]);
    if (result?.ok === true) return result.id;
    throw result?.error ?? new TypeError("One message has one result");
  }

  #publishAll(
    makers: readonly (() => MaybePromise<SqsOutbound>)[],
  ): Promise<readonly PublishResult[]> {
    const made = makers.map(attempt);
    const all = made.some((one) => one instanceof Promise)
      ? Promise.all(made.map(async (one) => one))
      : (made as readonly Made[]);
    const results = this.#turns.take(all, (settled) => this.#dispatch(settled));
    this.#open.add(results);
    void results.then(() => this.#open.delete(results));
    return results;
  }

  /** Sends those that could be made. Never rejects. */
  async #dispatch(made: readonly Made[]): Promise<readonly PublishResult[]> {
    const good = made.flatMap((one) => (one.ok ? [one.outbound] : []));
    const sent = (good.length > 0 ? await this.#send(good) : []).values();
    return made.map((one) => (one.ok ? toPublishResult(one.outbound, sent.next().value) : one));
  }

  #create(
    message: string | MessageDefinition,
    data: object,
    options: PublishOptions,
  ): MaybePromise<SqsOutbound> {
    const { traceId, meta } = options;
    const made = (envelope: Envelope<object>): SqsOutbound =>
      toOutbound(envelope, options, this.#queue, typeof traceId === "string" && !isBlank(traceId));
    const envelope = prepareEnvelope(message, data, { queue: this.#queue.name, traceId, meta });
    return envelope instanceof Promise ? envelope.then(made) : made(envelope);
  }

  async #transmit(outbound: Outbound): Promise<SendResult> {
    let entry: SendEntry;
    try {
      entry = toSendEntry(outbound, optionsOf(outbound), this.#queue, this.#options, this.#warn);
    } catch (error) {
      return { ok: false, error: error as Error };
    }
    const added = this.#batcher.add(entry);
    if (this.#flushes > 0) this.#batcher.hurry();
    const result = await added;
    if (!result.ok) return { ok: false, error: new SqsSendError(this.#queue.name, result.failure) };
    return result.value === undefined ? { ok: true } : { ok: true, messageId: result.value };
  }
}

function requireKind({ name, fifo }: Queue, asked: boolean | undefined): void {
  if (asked === undefined || asked === fifo) return;
  throw new InvalidArgumentError(
    "fifo",
    `${asked} was given for queue ${name}; the name of a FIFO queue ends in .fifo, and no other does`,
  );
}
