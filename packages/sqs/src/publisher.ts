import {
  createEnvelope,
  createReporter,
  type Envelope,
  InvalidArgumentError,
  type Outbound,
  type Send,
  type SendMiddleware,
  type SendResult,
  type Warning,
} from "@babelqueue/core";
import { HEADER_LIMIT } from "./attributes.js";
import type { SqsClient } from "./client.js";
import { type SendEntry, type SendOptions, toSendEntry } from "./entry.js";
import { SqsSendError } from "./errors.js";
import { type Queue, queueOf, SYSTEM } from "./queue.js";
import { createSendBatcher, type SendBatcher } from "./send.js";

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

export interface PublishOptions extends SendOptions {
  /** Continues a trace. Default (and when blank) a new UUID. */
  readonly traceId?: string | undefined;
}

/** One message of a batch. */
export interface BatchMessage extends PublishOptions {
  readonly urn: string;
  readonly data: object;
}

export type PublishResult =
  | { readonly ok: true /** The `meta.id`. */; readonly id: string }
  | { readonly ok: false; readonly error: Error };

export interface PublishBatchResult {
  /** One a message, in their order. */
  readonly results: readonly PublishResult[];
}

/** Where a transport keeps what is its own on an {@link Outbound}; a spread copies it. */
const OPTIONS = Symbol("sqs.sendOptions");

interface SqsOutbound extends Outbound {
  readonly [OPTIONS]: SendOptions;
}

/**
 * Publishes envelopes to one SQS queue, standard or FIFO (CONTRACT.md §2).
 *
 * @throws {@link InvalidArgumentError} for a URL that names no queue, or `fifo` against the URL.
 */
export class SqsPublisher {
  readonly #queue: Queue;
  readonly #options: SqsPublisherOptions;
  readonly #batcher: SendBatcher;
  readonly #send: Send;
  /** Sends under way, in a middleware or beyond. */
  readonly #open = new Set<Promise<readonly SendResult[]>>();
  #flushes = 0;
  readonly #warn: (warning: Warning) => void;

  constructor(client: SqsClient, queueUrl: string, options: SqsPublisherOptions = {}) {
    const { batching = true, maxInFlight = 10, middleware = [] } = options;
    this.#queue = queueOf(queueUrl);
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
    this.#send = middleware.reduceRight<Send>(
      (next, wrap) => guard(wrap(next)),
      (batch) => Promise.all(batch.map((outbound) => this.#transmit(outbound))),
    );
  }

  /**
   * Publishes a new message; resolves with its `meta.id` once SQS has taken it.
   *
   * @throws (rejects) {@link InvalidEnvelopeError}, {@link InvalidPayloadError},
   * {@link InvalidArgumentError} and {@link MessageTooLargeError} before the network, else
   * {@link SqsSendError}.
   */
  async publish(urn: string, data: object, options: PublishOptions = {}): Promise<string> {
    return this.#sendOne(this.#create(urn, data, options));
  }

  /** Publishes an envelope as it is, with its own ids. Rejects as {@link SqsPublisher.publish}. */
  async publishEnvelope(envelope: Envelope<object>, options: SendOptions = {}): Promise<string> {
    return this.#sendOne(this.#outbound(envelope, options, true));
  }

  /**
   * Publishes any number of messages. One that fails fails alone: look at the results. Rejects for
   * nothing that concerns single messages.
   */
  async publishBatch(messages: readonly BatchMessage[]): Promise<PublishBatchResult> {
    const results: PublishResult[] = [];
    const good: { readonly index: number; readonly outbound: SqsOutbound }[] = [];
    messages.forEach((message, index) => {
      try {
        good.push({ index, outbound: this.#create(message.urn, message.data, message) });
      } catch (error) {
        results[index] = { ok: false, error: error as Error };
      }
    });
    const sent = await this.#dispatch(good.map(({ outbound }) => outbound));
    good.forEach(({ index, outbound }, position) => {
      results[index] = toPublishResult(outbound, sent[position]);
    });
    return { results };
  }

  /** Resolves when everything given so far is sent or has failed. */
  async flush(): Promise<void> {
    this.#flushes += 1;
    this.#batcher.hurry();
    await Promise.all(this.#open);
    this.#flushes -= 1;
  }

  #dispatch(batch: readonly SqsOutbound[]): Promise<readonly SendResult[]> {
    const results = this.#send(batch);
    this.#open.add(results);
    void results.then(() => this.#open.delete(results));
    return results;
  }

  #create(urn: string, data: object, options: PublishOptions): SqsOutbound {
    const { traceId } = options;
    const envelope = createEnvelope(urn, data, { queue: this.#queue.name, traceId });
    return this.#outbound(envelope, options, envelope.trace_id === traceId);
  }

  #outbound(envelope: Envelope<object>, options: SendOptions, traceIdGiven: boolean): SqsOutbound {
    return {
      envelope: envelope as Envelope,
      headers: options.headers ?? {},
      system: SYSTEM,
      queue: this.#queue.name,
      traceIdGiven,
      headerLimit: HEADER_LIMIT,
      [OPTIONS]: options,
    };
  }

  async #sendOne(outbound: SqsOutbound): Promise<string> {
    const [sent] = await this.#dispatch([outbound]);
    const result = toPublishResult(outbound, sent);
    if (!result.ok) throw result.error;
    return result.id;
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

function optionsOf(outbound: Outbound): SendOptions {
  if (OPTIONS in outbound) return (outbound as SqsOutbound)[OPTIONS];
  const problem = "it must pass on the messages it was given, or spread copies of them";
  throw new InvalidArgumentError("middleware", problem);
}

/** A Send that never rejects and answers each message, whatever the middleware it came from does. */
function guard(send: Send): Send {
  return async (batch) => {
    try {
      const results: unknown = await send(batch);
      if (Array.isArray(results) && results.length === batch.length) {
        return results as readonly SendResult[];
      }
      throw new InvalidArgumentError("middleware", "it must return one result a message, in order");
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error("Not sent", { cause: thrown });
      return batch.map(() => ({ ok: false, error }));
    }
  };
}

function toPublishResult({ envelope }: Outbound, sent: SendResult | undefined): PublishResult {
  if (sent?.ok === true) return { ok: true, id: envelope.meta.id };
  return {
    ok: false,
    error: sent?.error ?? new InvalidArgumentError("middleware", "it gave no result"),
  };
}

function requireKind({ name, fifo }: Queue, asked: boolean | undefined): void {
  if (asked === undefined || asked === fifo) return;
  throw new InvalidArgumentError(
    "fifo",
    `${asked} was given for queue ${name}; the name of a FIFO queue ends in .fifo, and no other does`,
  );
}
