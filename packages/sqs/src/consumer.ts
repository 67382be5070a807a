import type { Message } from "@aws-sdk/client-sqs";
import {
  createConsume,
  type Handlers,
  InvalidArgumentError,
  type Routes,
  UrnRouter,
} from "@babelqueue/core";
import type { SqsClient } from "./client.js";
import { VisibilityLostError } from "./errors.js";
import { Heartbeat } from "./heartbeat.js";
import { Hooks } from "./hooks.js";
import { InHand } from "./in-hand.js";
import { type ReceiveSettings, receiveSettings, type SqsConsumerOptions } from "./options.js";
import { type Queue, queueOf } from "./queue.js";
import { isHopeless, Receiver, receiveBackoffMs } from "./receive.js";
import { createVisibilityBatcher, type RequestOptions } from "./requests.js";
import { Settler } from "./settle.js";
import { resolvesWithin, sleep } from "./sleep.js";
import { type Counters, newCounters, type SqsConsumerStats } from "./stats.js";

const RECEIVES_PER_SLOT = 1 / 10;
/** Between receives that do not wait, on an empty queue. */
const EMPTY_PAUSE_MS = 200;
/** What handlers get after `context.signal` has aborted. */
const LAST_MS = 1000;
/** No receive goes out while so many finished messages for each slot are not settled. */
const UNSETTLED_PER_SLOT = 10;

/**
 * Consumes one SQS queue, standard or FIFO: receives, routes by URN, and settles as CONTRACT.md §4
 * says. At least once: a handler may see a message again.
 *
 * @throws {@link InvalidArgumentError} for options that cannot be meant.
 */
export class SqsConsumer {
  readonly #settings: ReceiveSettings;
  readonly #hooks: Hooks<Message>;
  readonly #counters: Counters = newCounters();
  readonly #receiver: Receiver;
  readonly #settler: Settler;
  readonly #inHand: InHand;
  /** Messages that receives under way may bring. */
  #asked = 0;
  /** The last receive brought something, so more may be there. */
  #isBusy = false;
  /** A receive failed, or found a queue empty without waiting: none goes out for a while. */
  #isPaused = false;
  #failures = 0;
  #onChange: (() => void)[] = [];
  #isWakeScheduled = false;
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
    const queue = queueOf(queueUrl);
    const deadLetterQueue =
      options.deadLetterQueueUrl === undefined
        ? undefined
        : queueOf(options.deadLetterQueueUrl, "deadLetterQueueUrl");
    const settings = receiveSettings(options);
    const reporter = new Hooks(options);
    const counters = this.#counters;
    const maxInFlight = 10 + Math.ceil(settings.concurrency * RECEIVES_PER_SLOT);
    this.#settings = settings;
    this.#hooks = reporter;
    this.#receiver = new Receiver(client, queue, settings);
    this.#settler = new Settler({
      client,
      queue,
      deadLetterQueue,
      lingerMs: settings.settleLingerMs,
      maxInFlight,
      reporter,
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
        ? createHeartbeat({ client, queueUrl: queue.url, maxInFlight }, queue, settings, reporter)
        : undefined,
      reporter,
      counters,
      onFree: () => this.#notify(),
    });
  }

  /**
   * Receives one batch, at most as large as there are slots free, handles and settles it. Resolves
   * with how many messages it brought; `signal` ends the waiting for messages.
   *
   * @throws (rejects) {@link SqsReceiveError}
   */
  async poll(signal?: AbortSignal): Promise<number> {
    const wake = (): void => this.#notify();
    signal?.addEventListener("abort", wake);
    try {
      for (;;) {
        if (this.#stopping !== undefined || signal?.aborted === true) return 0;
        const max = this.#free();
        if (max > 0) return await this.#pollOnce(max, signal);
        await this.#changed();
      }
    } finally {
      signal?.removeEventListener("abort", wake);
    }
  }

  /**
   * Consumes until {@link SqsConsumer.stop} is called or the signal aborts; resolves when all that
   * was in hand is settled. Can be called again afterwards.
   *
   * @throws (rejects) {@link SqsReceiveError} if the queue is missing or the credentials are refused
   * before any receive has succeeded; {@link InvalidArgumentError} if it runs already.
   */
  async run(signal?: AbortSignal): Promise<void> {
    if (this.#isRunning) {
      throw new InvalidArgumentError("run", "the consumer runs already; raise concurrency instead");
    }
    this.#isRunning = true;
    this.#isStopWanted = false;
    const stop = (): void => void this.stop();
    signal?.addEventListener("abort", stop);
    try {
      await this.#stopping;
      if (signal?.aborted !== true && !this.#isStopWanted) await this.#loop();
    } finally {
      signal?.removeEventListener("abort", stop);
      await this.stop();
      this.#isRunning = false;
    }
  }

  /**
   * Receives no more, releases what was not started, waits for running handlers
   * (`shutdownTimeoutMs`, then `context.signal` aborts, then 1 s), and settles what they finished.
   * Never rejects.
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

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    const hopeless: unknown[] = [];
    while (!signal.aborted && hopeless.length === 0) {
      const max = this.#due();
      if (max === 0) {
        await this.#changed();
        continue;
      }
      void this.#receive(max).catch((error: unknown) => {
        hopeless.push(error);
        this.#notify();
      });
    }
    if (hopeless.length > 0) throw hopeless[0];
  }

  /** How many messages the next receive may ask for; 0 while none may go out. */
  #due(): number {
    if (this.#isPaused) return 0;
    const free = this.#free();
    const underWay = this.#receiver.size;
    if (free === 0 || underWay === 0) return free;
    const { concurrency, maxMessages } = this.#settings;
    const limit = this.#isBusy ? Math.ceil(concurrency * RECEIVES_PER_SLOT) : 1;
    // besides another, only a full one is worth its price
    return underWay < limit && free === maxMessages ? free : 0;
  }

  #free(): number {
    const { concurrency, maxMessages } = this.#settings;
    if (this.#settler.size >= concurrency * UNSETTLED_PER_SLOT) return 0;
    return Math.max(0, Math.min(maxMessages, concurrency - this.#inHand.size - this.#asked));
  }

  /** Receives once for the loop. Rejects only where going on is hopeless. */
  async #receive(max: number): Promise<void> {
    try {
      const accepted = await this.#ask(max, undefined);
      this.#failures = 0;
      this.#isBusy = accepted.length > 0;
      if (!this.#isBusy && this.#settings.waitTimeSeconds === 0) this.#pause(EMPTY_PAUSE_MS);
    } catch (error) {
      if (this.#counters.lastReceiveAt === undefined && isHopeless(error)) throw error;
      this.#isBusy = false;
      // receives that fail side by side fail once
      if (!this.#isPaused) {
        this.#failures += 1;
        this.#pause(receiveBackoffMs(this.#failures));
      }
      void this.#hooks.error(error, null, null);
    }
    this.#notify();
  }

  async #pollOnce(max: number, signal: AbortSignal | undefined): Promise<number> {
    const accepted = await this.#ask(max, signal);
    await Promise.all(accepted);
    await this.#settler.flush();
    await this.#hooks.idle();
    return accepted.length;
  }

  /** Receives at most so many messages; one promise each, that resolves when it is finished. */
  async #ask(max: number, signal: AbortSignal | undefined): Promise<readonly Promise<void>[]> {
    const askedAt = Date.now();
    this.#asked += max;
    try {
      return await this.#receiver.receive(max, signal, (messages) => {
        const answeredAt = Date.now();
        this.#counters.received += messages.length;
        this.#counters.lastReceiveAt = answeredAt;
        return messages.map((message) => this.#inHand.accept(message, { askedAt, answeredAt }));
      });
    } finally {
      this.#asked -= max;
    }
  }

  #pause(ms: number): void {
    this.#isPaused = true;
    void sleep(ms, this.#stop.signal).then(() => {
      this.#isPaused = false;
      this.#notify();
    });
  }

  /** Resolves when something may have changed what is due. */
  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange.push(resolve);
    });
  }

  /** Later in this turn of the event loop, so that slots freed together are asked for together. */
  #notify(): void {
    if (this.#isWakeScheduled || this.#onChange.length === 0) return;
    this.#isWakeScheduled = true;
    setImmediate(() => {
      this.#isWakeScheduled = false;
      for (const resolve of this.#onChange.splice(0)) resolve();
    });
  }

  async #shutDown(): Promise<void> {
    this.#stop.abort();
    this.#notify();
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

function toRoutes(handlers: Routes<Message> | Handlers<Message>): Routes<Message> {
  return isRoutes(handlers) ? handlers : UrnRouter.from(handlers);
}

function isRoutes(handlers: Routes<Message> | Handlers<Message>): handlers is Routes<Message> {
  return "handlerFor" in handlers && typeof handlers.handlerFor === "function";
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
