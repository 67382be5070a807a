import type { Message } from "@aws-sdk/client-sqs";
import { createConsume, type Handlers, InvalidArgumentError, type Routes } from "@babelqueue/core";
import { Settler } from "../delivery/settler.js";
import { VisibilityLostError } from "../errors.js";
import { requireClient, type SqsClient } from "../requests/client.js";
import { Receiver } from "../requests/receive.js";
import { createVisibilityBatcher, type RequestOptions } from "../requests/settle-requests.js";
import { resolvesWithin } from "../timers.js";
import { type Queue, queueOf } from "../wire/queue.js";
import { Heartbeat } from "./heartbeat.js";
import { Hooks } from "./hooks.js";
import { InHand } from "./in-flight.js";
import { Intake, SLOTS_PER_RECEIVE } from "./intake.js";
import { type ReceiveSettings, receiveSettings, type SqsConsumerOptions } from "./options.js";
import { toRoutes } from "./routes.js";
import { type Counters, newCounters, type SqsConsumerStats } from "./stats.js";

/** What handlers get after `context.signal` has aborted. */
const LAST_MS = 1000;

/**
 * Consumes one SQS queue, standard or FIFO: receives, routes by URN, and settles as CONTRACT.md §4
 * says. At least once: a handler may see a message again.
 *
 * @throws `InvalidArgumentError` for options that cannot be meant.
 */
export class SqsConsumer {
  readonly #settings: ReceiveSettings;
  readonly #hooks: Hooks<Message>;
  readonly #counters: Counters = newCounters();
  readonly #receiver: Receiver;
  readonly #settler: Settler;
  readonly #inHand: InHand;
  readonly #intake: Intake;
  #isRunning = false;
  /** For a run that waits for an earlier stop to end. */
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
    const deadLetterQueue =
      options.deadLetterQueueUrl === undefined
        ? undefined
        : queueOf(options.deadLetterQueueUrl, "deadLetterQueueUrl");
    if (deadLetterQueue?.url === queue.url) {
      const problem = "it is the queue itself, which would get its dead letters again for ever";
      throw new InvalidArgumentError("deadLetterQueueUrl", problem);
    }
    const settings = receiveSettings(options);
    const hooks = new Hooks(options);
    const counters = this.#counters;
    const maxInFlight = 10 + Math.ceil(settings.concurrency / SLOTS_PER_RECEIVE);
    this.#settings = settings;
    this.#hooks = hooks;
    this.#receiver = new Receiver(client, queue, settings);
    this.#settler = new Settler({
      client,
      queue,
      deadLetterQueue,
      lingerMs: settings.settleLingerMs,
      maxInFlight,
      reporter: hooks,
      counters,
    });
    this.#inHand = new InHand({
      queue,
      visibilityTimeoutSeconds: settings.visibilityTimeoutSeconds,
      consume: createConsume(toRoutes(handlers), {
        ...options,
        deadLetters: deadLetterQueue !== undefined,
      }),
      settler: this.#settler,
      heartbeat: settings.heartbeat
        ? createHeartbeat({ client, queueUrl: queue.url, maxInFlight }, queue, settings, hooks)
        : undefined,
      reporter: hooks,
      counters,
      onFree: () => this.#intake.wake(),
    });
    this.#intake = new Intake({
      settings,
      receiver: this.#receiver,
      inHand: this.#inHand,
      settler: this.#settler,
      hooks,
      counters,
    });
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
    const accepted = await this.#intake.once(signal, () => stopped.aborted);
    await Promise.all(accepted);
    await this.#settler.flush();
    await this.#hooks.idle();
    return accepted.length;
  }

  /**
   * Consumes until {@link SqsConsumer.stop} is called or the signal aborts; resolves when all that
   * was in hand is settled. Can be called again afterwards.
   *
   * @throws (rejects) {@link SqsReceiveError} if the queue is missing or the credentials are refused
   * before any receive has succeeded; `InvalidArgumentError` if it runs already.
   */
  async run(signal?: AbortSignal): Promise<void> {
    requireSignal(signal);
    if (this.#isRunning) {
      throw new InvalidArgumentError("run", "the consumer runs already; raise concurrency instead");
    }
    this.#isRunning = true;
    this.#isStopWanted = false;
    const stop = (): void => void this.stop();
    signal?.addEventListener("abort", stop);
    try {
      await this.#stopping;
      if (signal?.aborted !== true && !this.#isStopWanted)
        await this.#intake.run(this.#stop.signal);
    } finally {
      signal?.removeEventListener("abort", stop);
      await this.stop();
      this.#isRunning = false;
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
    this.#stopping ??= this.#shutDown().finally(() => {
      this.#stopping = undefined;
      this.#stop = new AbortController();
      this.#inHand.open();
    });
    return this.#stopping;
  }

  stats(): SqsConsumerStats {
    return { ...this.#counters, inFlight: this.#inHand.size };
  }

  /** `await using`: {@link SqsConsumer.stop}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #shutDown(): Promise<void> {
    this.#stop.abort();
    this.#intake.wake();
    this.#inHand.close();
    this.#settler.haste(true);
    await Promise.all([this.#receiver.end(this.#settings.pollGraceMs), this.#endHandlers()]);
    await this.#settler.flush();
    this.#settler.haste(false);
    await resolvesWithin(this.#hooks.idle(), LAST_MS);
  }

  async #endHandlers(): Promise<void> {
    const { shutdownTimeoutMs } = this.#settings;
    if (await resolvesWithin(this.#inHand.idle(), shutdownTimeoutMs)) return;
    this.#inHand.abort(new Error(`The consumer stops, and waited ${shutdownTimeoutMs} ms`));
    if (await resolvesWithin(this.#inHand.idle(), LAST_MS)) return;
    this.#inHand.abandon();
  }
}

/** Of this realm or another, or a polyfill's. */
function requireSignal(signal: unknown): void {
  if (signal === undefined || signal === null) return;
  if (typeof (signal as Partial<AbortSignal>).addEventListener === "function") return;
  throw new InvalidArgumentError("signal", "expected an AbortSignal");
}

function createHeartbeat(
  requests: RequestOptions,
  { name }: Queue,
  { visibilityTimeoutSeconds: timeoutSeconds = 0 }: ReceiveSettings,
  reporter: Hooks<Message>,
): Heartbeat {
  const extensions = createVisibilityBatcher(requests);
  return new Heartbeat({
    timeoutSeconds,
    extend: (held, seconds) => extensions.add({ held, seconds }),
    onLost: async (held, cause) => {
      const error = new VisibilityLostError(name, { cause });
      held.lose(error);
      await reporter.error(error, null, held.message);
    },
  });
}
