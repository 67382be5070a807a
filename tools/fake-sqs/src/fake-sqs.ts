import type { SQSClient } from "@aws-sdk/client-sqs";
import { throwIfAborted, untilAborted } from "./abort.js";
import { clientFor } from "./client.js";
import { type Clock, systemClock } from "./clock.js";
import type { Context, LapsedVisibilityChange } from "./context.js";
import { dispatch } from "./dispatch.js";
import type { FifoGroupRule } from "./fifo-groups.js";
import {
  type AnswerHook,
  consult,
  type EntryFault,
  type EntryHook,
  Hooks,
  type RequestHook,
} from "./hooks.js";
import { type MessageSnapshot, snapshot } from "./message.js";
import type {
  BatchEntry,
  BatchOperation,
  OperationName,
  Operations,
  SqsRequest,
} from "./operations.js";
import type { QueueAttributes } from "./queue-attributes.js";
import { Queues } from "./queues.js";

export interface FakeSqsOptions extends Partial<Clock> {
  /** What a FIFO group hands out while a message of it is in flight; default `leading`. */
  readonly fifoGroups?: FifoGroupRule;
  /** What a visibility change with a lapsed handle gets; default `refused`. */
  readonly lapsedVisibilityChange?: LapsedVisibilityChange;
  /** Whether `requests` and `deleted` are kept; default true. Turn off where millions pass. */
  readonly history?: boolean;
}

/** A request as it was made, and when. The input is a copy taken at the call. */
export type RecordedRequest = SqsRequest & { readonly at: number };

/**
 * Amazon SQS in memory, as strict as AWS: what AWS refuses is refused here, with the SDK's own
 * exceptions. It never retries; each `send` of its client is one request.
 *
 * Where no request hook is set, a request is applied synchronously within the call.
 */
export class FakeSqs {
  readonly #clock: Clock;
  readonly #queues: Queues;
  readonly #lapsedVisibilityChange: LapsedVisibilityChange;
  readonly #history: boolean;
  readonly #requests: RecordedRequest[] = [];
  readonly #requestHooks = new Hooks<RequestHook>();
  readonly #answerHooks = new Hooks<AnswerHook>();
  readonly #entryHooks = new Hooks<EntryHook>();

  constructor(options: FakeSqsOptions = {}) {
    this.#clock = {
      now: options.now ?? systemClock.now,
      schedule: options.schedule ?? systemClock.schedule,
    };
    this.#history = options.history ?? true;
    this.#lapsedVisibilityChange = options.lapsedVisibilityChange ?? "refused";
    this.#queues = new Queues({
      clock: this.#clock,
      fifoGroups: options.fifoGroups ?? "leading",
      history: this.#history,
    });
  }

  /** Creates a queue and returns its URL; a name that ends in `.fifo` makes a FIFO queue. */
  createQueue(name: string, attributes: QueueAttributes = {}): string {
    return this.#queues.create(name, attributes).url;
  }

  /** The ARN of a queue, for a `RedrivePolicy`. */
  arn(url: string): string {
    return this.#queues.byUrl(url).arn;
  }

  /** A client to hand to code that wants an `SQSClient`; any number of them see the same queues. */
  client(): SQSClient {
    return clientFor((request, signal) => this.perform(request, signal));
  }

  /**
   * Performs one request given as plain data, for front ends such as HTTP. Aborting the signal
   * rejects at once; whether the request was applied then depends on how far it had come.
   */
  perform<TName extends OperationName>(
    request: SqsRequest<TName>,
    signal?: AbortSignal,
  ): Promise<Operations[TName]["output"]>;
  perform(request: SqsRequest, signal?: AbortSignal): Promise<object> {
    try {
      throwIfAborted(signal);
      const copy = structuredClone(request);
      return untilAborted(this.#run(copy, signal), signal);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /**
   * Calls the hook with each request before it is applied. An error it throws or returns fails the
   * request, which is then not applied; a promise it returns delays it. Returns a function that
   * removes the hook, as the other two do.
   */
  onRequest(hook: RequestHook): () => void {
    return this.#requestHooks.add(hook);
  }

  /** Calls the hook after a request was applied: an error loses the answer, a promise delays it. */
  onAnswer(hook: AnswerHook): () => void {
    return this.#answerHooks.add(hook);
  }

  /** Calls the hook for each entry of a batch: a fault it returns fails that entry alone. */
  failEntries(hook: EntryHook): () => void {
    return this.#entryHooks.add(hook);
  }

  /** Every request in the order made, also those that failed. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** Forgets the requests made so far. */
  clearRequests(): void {
    this.#requests.length = 0;
  }

  /** The messages in a queue, visible or not, in the order they came. */
  messages(url: string): MessageSnapshot[] {
    const now = this.#clock.now();
    return [...this.#queues.byUrl(url).messages].map((message) => snapshot(message, now));
  }

  /** The ids of the messages that were deleted from a queue, in order. */
  deleted(url: string): readonly string[] {
    return [...this.#queues.byUrl(url).deleted];
  }

  async #run(request: SqsRequest, signal: AbortSignal | undefined): Promise<object> {
    if (this.#history) this.#requests.push({ ...request, at: this.#clock.now() });
    if (!this.#requestHooks.isEmpty) {
      await consult(this.#requestHooks, (hook) => hook(request));
      throwIfAborted(signal);
    }
    const answer = await dispatch(this.#context(signal), request);
    await consult(this.#answerHooks, (hook) => hook(request, answer));
    return answer;
  }

  #context(signal: AbortSignal | undefined): Context {
    return {
      clock: this.#clock,
      queues: this.#queues,
      lapsedVisibilityChange: this.#lapsedVisibilityChange,
      signal,
      entryFault: (operation, entry, index) => this.#entryFault(operation, entry, index),
    };
  }

  #entryFault(operation: BatchOperation, entry: BatchEntry, index: number): EntryFault | undefined {
    for (const hook of this.#entryHooks) {
      const fault = hook(operation, entry, index);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
}
