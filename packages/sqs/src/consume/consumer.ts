import type { Message } from "@aws-sdk/client-sqs";
import { type Handlers, InvalidArgumentError, type Routes } from "@babelqueue/core";
import { createConsume, createReporter, type Reporter } from "@babelqueue/core/transport";
import { Settler } from "../delivery/settler.js";
import type { BatchesOptions } from "../requests/batches.js";
import { requireClient, type SqsClient } from "../requests/client.js";
import { createDeletes } from "../requests/delete.js";
import { createSends } from "../requests/send.js";
import { createVisibilityChanges } from "../requests/visibility.js";
import { resolvesWithin } from "../timers.js";
import { type Queue, queueOf, requireOther } from "../wire/queue.js";
import { Heartbeat } from "./heartbeat.js";
import { InFlight } from "./in-flight.js";
import { Intake, SLOTS_PER_RECEIVE } from "./intake.js";
import { type ReceiveSettings, receiveSettings, type SqsConsumerOptions } from "./options.js";
import { type Counters, count, newCounters, type SqsConsumerStats } from "./stats.js";

/** What handlers get after `context.signal` has aborted. */
const LAST_MS = 1000;

/**
 * Consumes one SQS queue, standard or FIFO: receives, routes by URN, and settles as docs/wire-contract.md §4
 * says. At least once: a handler may see a message again.
 *
 * @throws `InvalidArgumentError` for options that cannot be meant.
 */
export class SqsConsumer {
  readonly #settings: ReceiveSettings;
  readonly #reporter: Reporter<Message>;
  readonly #counters: Counters = newCounters();
  readonly #settler: Settler;
  readonly #inFlight: InFlight;
  readonly #intake: Intake;
  #running: Promise<void> | undefined;
  /** A run that waits for an earlier one to end is not to begin; and one that runs is ending. */
  #isStopWanted = false;
  #stopping: Promise<void> | undefined;
  #stop = new AbortController();

  constructor(
    client: SqsClient,
    queueUrl: string,
    handlers: Routes<Message> | Handlers<Message>,
    options: SqsConsumerOptions = {},
  ) {
    requireClient(client);
    const queue = queueOf(queueUrl);
    const deadLetterQueue = deadLetterQueueOf(options.deadLetterQueueUrl, queue);
    const settings = receiveSettings(options);
    const reporter = createReporter(options);
    const maxInFlight = 10 + Math.ceil(settings.concurrency / SLOTS_PER_RECEIVE);
    const requests = { client, queue, maxInFlight };
    const consume = createConsume(handlers, {
      ...options,
      deadLetters: deadLetterQueue !== undefined,
    });
    this.#settings = settings;
    this.#reporter = reporter;
    this.#settler = createSettler(requests, deadLetterQueue, settings.settleLingerMs, reporter);
    this.#inFlight = new InFlight({
      queue,
      visibilityTimeoutSeconds: settings.visibilityTimeoutSeconds,
      consume,
      settler: this.#settler,
      heartbeat: createHeartbeat(requests, settings, reporter),
      reporter,
      onSettled: (settled) => count(this.#counters, settled),
      onFree: () => this.#intake.wake(),
    });
    const parts = { inFlight: this.#inFlight, settler: this.#settler };
    this.#intake = new Intake({ client, queue, settings, reporter, ...parts });
  }

  /**
   * Receives one batch, at most as large as there are slots free, handles and settles it. Resolves
   * with how many messages it brought; `signal` ends the waiting for messages.
   *
   * @throws (rejects) {@link SqsReceiveError}
   */
  async poll(signal?: AbortSignal): Promise<number> {
    requireSignal(signal);
    // that of now: a stop may be over before a poll that waits for a slot looks again
    const { signal: stopped } = this.#stop;
    const accepted = await this.#intake.receiveOnce(signal, () => stopped.aborted);
    await Promise.all(accepted);
    await this.#settler.flush();
    await this.#reporter.idle();
    return accepted.length;
  }

  /**
   * Consumes until {@link SqsConsumer.stop} is called or the signal aborts; resolves when all that
   * was in flight is settled. Can be called again once it is stopped: it waits for the former run to end.
   *
   * @throws (rejects) {@link SqsReceiveError} if the queue is missing or the credentials are refused
   * before any receive has succeeded; `InvalidArgumentError` if it runs already.
   */
  async run(signal?: AbortSignal): Promise<void> {
    requireSignal(signal);
    const previous = this.#running;
    if (previous !== undefined && !this.#isStopWanted) {
      throw new InvalidArgumentError("run", "the consumer runs already; raise concurrency instead");
    }
    this.#isStopWanted = false;
    const running = this.#runAfter(previous, signal);
    this.#running = running;
    try {
      await running;
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  /** Once the run before it, and a stop under way, have ended. */
  async #runAfter(
    previous: Promise<void> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const stop = (): void => void this.stop();
    signal?.addEventListener("abort", stop);
    try {
      // how it ended is told to who called it
      await previous?.catch(() => undefined);
      await this.#stopping;
      if (signal?.aborted !== true && !this.#isStopWanted)
        await this.#intake.run(this.#stop.signal);
    } finally {
      signal?.removeEventListener("abort", stop);
      await this.#end();
    }
  }

  /**
   * Receives no more, releases what was not started, waits for running handlers
   * (`shutdownTimeoutMs`, then `context.signal` aborts, then 1 s), and settles what they finished.
   * Never rejects. Before `run` it does nothing: a signal given to `run` may abort earlier. A handler
   * that awaits it waits for itself.
   */
  stop(): Promise<void> {
    this.#isStopWanted = true;
    return this.#end();
  }

  #end(): Promise<void> {
    this.#stopping ??= this.#shutDown().finally(() => {
      this.#stopping = undefined;
      this.#stop = new AbortController();
      this.#inFlight.reopen();
    });
    return this.#stopping;
  }

  stats(): SqsConsumerStats {
    const { received, lastReceiveAt } = this.#intake;
    return { ...this.#counters, received, lastReceiveAt, inFlight: this.#inFlight.size };
  }

  /** `await using`: {@link SqsConsumer.stop}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #shutDown(): Promise<void> {
    this.#stop.abort();
    this.#intake.wake();
    this.#inFlight.close();
    const settled = this.#settleAll();
    this.#settler.hurry(settled);
    await settled;
    await resolvesWithin(this.#reporter.idle(), LAST_MS);
  }

  async #settleAll(): Promise<void> {
    await Promise.all([this.#intake.end(this.#settings.pollGraceMs), this.#endHandlers()]);
    await this.#settler.flush();
  }

  async #endHandlers(): Promise<void> {
    const { shutdownTimeoutMs } = this.#settings;
    if (await resolvesWithin(this.#inFlight.idle(), shutdownTimeoutMs)) return;
    this.#inFlight.abort(new Error(`The consumer stops, and waited ${shutdownTimeoutMs} ms`));
    if (await resolvesWithin(this.#inFlight.idle(), LAST_MS)) return;
    this.#inFlight.abandon();
  }
}

/** Of this realm or another, or a polyfill's. */
function requireSignal(signal: unknown): void {
  if (signal === undefined || signal === null) return;
  if (typeof (signal as Partial<AbortSignal>).addEventListener === "function") return;
  throw new InvalidArgumentError("signal", "expected an AbortSignal");
}

function deadLetterQueueOf(url: string | undefined, queue: Queue): Queue | undefined {
  if (url === undefined) return undefined;
  const deadLetterQueue = queueOf(url, "deadLetterQueueUrl");
  requireOther(deadLetterQueue, queue);
  return deadLetterQueue;
}

function createSettler(
  requests: BatchesOptions,
  deadLetterQueue: Queue | undefined,
  lingerMs: number,
  reporter: Reporter<Message>,
): Settler {
  const settling = { ...requests, lingerMs };
  return new Settler({
    queue: requests.queue,
    reporter,
    deletes: createDeletes(settling),
    releases: createVisibilityChanges(settling),
    deadLetters: deadLetterQueue && {
      queue: deadLetterQueue,
      sends: createSends({ ...settling, queue: deadLetterQueue }),
    },
  });
}

function createHeartbeat(
  requests: BatchesOptions,
  { heartbeat, visibilityTimeoutSeconds: timeoutSeconds = 0 }: ReceiveSettings,
  reporter: Reporter<Message>,
): Heartbeat | undefined {
  if (!heartbeat) return undefined;
  const { queue } = requests;
  const extensions = createVisibilityChanges(requests);
  return new Heartbeat({ queue, timeoutSeconds, extensions, reporter });
}
