import type { Message } from "@aws-sdk/client-sqs";
import type { Reporter } from "@babelqueue/core/transport";
import type { Settler } from "../delivery/settler.js";
import type { SqsClient } from "../requests/client.js";
import { isHopeless, receive } from "../requests/receive.js";
import { resolvesWithin, sleep } from "../timers.js";
import type { Queue } from "../wire/queue.js";
import type { InFlight } from "./in-flight.js";
import type { ReceiveSettings } from "./options.js";

/** One receive under way for so many slots, while messages keep coming. */
export const SLOTS_PER_RECEIVE = 10;
/** Between receives that do not wait, on an empty queue. */
const EMPTY_PAUSE_MS = 200;
/** No receive goes out while so many finished messages for each slot are not settled. */
const UNSETTLED_PER_SLOT = 10;
const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 30_000;

export interface IntakeOptions {
  readonly client: SqsClient;
  readonly queue: Queue;
  readonly settings: ReceiveSettings;
  readonly inFlight: InFlight;
  readonly settler: Settler;
  readonly reporter: Reporter<Message>;
}

/** A receive under way. */
interface OpenReceive {
  /** How many messages it may bring. */
  readonly max: number;
  readonly controller: AbortController;
  /** Resolves when it is over, however it ended. */
  readonly done: Promise<unknown>;
}

/** Decides when to receive and how much to ask for, so that the slots are full and requests few. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #receives = new Set<OpenReceive>();
  #received = 0;
  #lastReceiveAt: number | undefined;
  /** A receive has succeeded, so what fails later may pass. */
  #hasReceived = false;
  /** The last receive brought something, so more may be there. */
  #isBusy = false;
  /** A receive failed, or found a queue empty without waiting: none goes out for a while. */
  #isPaused = false;
  #failures = 0;
  #onChange: (() => void)[] = [];
  #isWakeScheduled = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** How many messages were received. */
  get received(): number {
    return this.#received;
  }

  /** When SQS last answered a receive, Unix ms; undefined before. */
  get lastReceiveAt(): number | undefined {
    return this.#lastReceiveAt;
  }

  /**
   * Receives until the signal aborts.
   *
   * @throws (rejects) {@link SqsReceiveError} where going on is hopeless
   */
  async run(signal: AbortSignal): Promise<void> {
    const hopeless: unknown[] = [];
    while (!signal.aborted && hopeless.length === 0) {
      const max = this.#due();
      if (max === 0) {
        await this.#changed();
        continue;
      }
      void this.#receiveInLoop(max, signal).catch((error: unknown) => {
        hopeless.push(error);
        this.wake();
      });
    }
    if (hopeless.length > 0) throw hopeless[0];
  }

  /**
   * Receives once, as soon as a slot is free; one promise a message, that resolves when it is
   * finished. Brings nothing if it is over before.
   *
   * @throws (rejects) {@link SqsReceiveError}
   */
  async receiveOnce(
    signal: AbortSignal | undefined,
    isOver: () => boolean,
  ): Promise<readonly Promise<void>[]> {
    const wake = (): void => this.wake();
    signal?.addEventListener("abort", wake);
    try {
      for (;;) {
        if (isOver() || signal?.aborted === true) return [];
        const max = this.#freeSlots();
        if (max > 0) return await this.#request(max, signal);
        await this.#changed();
      }
    } finally {
      signal?.removeEventListener("abort", wake);
    }
  }

  /** Lets the receives under way end by themselves for so many ms, then aborts them. */
  async end(graceMs: number): Promise<void> {
    const all = Promise.all([...this.#receives].map(({ done }) => done));
    if (this.#receives.size === 0 || (await resolvesWithin(all, graceMs))) return;
    for (const { controller } of this.#receives) controller.abort();
    await all;
  }

  /**
   * Something may have changed what is due. Looked at later in this turn of the event loop, so that
   * slots freed together are asked for together.
   */
  wake(): void {
    if (this.#isWakeScheduled || this.#onChange.length === 0) return;
    this.#isWakeScheduled = true;
    setImmediate(() => {
      this.#isWakeScheduled = false;
      for (const resolve of this.#onChange.splice(0)) resolve();
    });
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange.push(resolve);
    });
  }

  /** How many messages the next receive may ask for; 0 while none may go out. */
  #due(): number {
    if (this.#isPaused) return 0;
    const free = this.#freeSlots();
    const underWay = this.#receives.size;
    if (free === 0 || underWay === 0) return free;
    const { concurrency, maxMessages } = this.#options.settings;
    const limit = this.#isBusy ? Math.ceil(concurrency / SLOTS_PER_RECEIVE) : 1;
    // besides another, only a full one is worth its price
    return underWay < limit && free === maxMessages ? free : 0;
  }

  /** How many slots have neither a message nor a receive that may bring one, for one receive. */
  #freeSlots(): number {
    const { settings, settler, inFlight } = this.#options;
    const { concurrency, maxMessages } = settings;
    if (settler.size >= concurrency * UNSETTLED_PER_SLOT) return 0;
    const asked = [...this.#receives].reduce((sum, { max }) => sum + max, 0);
    return Math.max(0, Math.min(maxMessages, concurrency - inFlight.size - asked));
  }

  async #receiveInLoop(max: number, stopped: AbortSignal): Promise<void> {
    const { settings, reporter } = this.#options;
    try {
      const accepted = await this.#request(max, undefined);
      this.#failures = 0;
      this.#isBusy = accepted.length > 0;
      if (!this.#isBusy && settings.waitTimeSeconds === 0) this.#pause(EMPTY_PAUSE_MS, stopped);
    } catch (error) {
      if (!this.#hasReceived && isHopeless(error)) throw error;
      this.#isBusy = false;
      // receives that fail side by side fail once
      if (!this.#isPaused) {
        this.#failures += 1;
        this.#pause(backoffMs(this.#failures), stopped);
      }
      void reporter.error(error, null, null);
    }
  }

  /** Messages are accepted while the receive still counts as open, so that no slot is asked for twice. */
  async #request(max: number, signal: AbortSignal | undefined): Promise<readonly Promise<void>[]> {
    // a controller a receive: listeners would pile up on one that lives long
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort);
    const accepted = this.#hand(max, controller.signal);
    const open = { max, controller, done: accepted.then(noop, noop) };
    this.#receives.add(open);
    try {
      return await accepted;
    } finally {
      this.#receives.delete(open);
      signal?.removeEventListener("abort", abort);
      this.wake();
    }
  }

  async #hand(max: number, signal: AbortSignal): Promise<readonly Promise<void>[]> {
    const { client, queue, settings, inFlight } = this.#options;
    const askedAt = Date.now();
    const messages = await receive({ client, queue, ...settings }, max, signal);
    if (messages === undefined) return [];
    const answeredAt = Date.now();
    this.#received += messages.length;
    this.#lastReceiveAt = answeredAt;
    this.#hasReceived = true;
    return messages.map((message) => inFlight.accept(message, { askedAt, answeredAt }));
  }

  #pause(ms: number, stopped: AbortSignal): void {
    this.#isPaused = true;
    void sleep(ms, stopped).then(() => {
      this.#isPaused = false;
      this.wake();
    });
  }
}

/** How long to wait after so many failed receives in a row: exponential, with jitter. */
function backoffMs(failures: number): number {
  const ceiling = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
  return ceiling * (0.8 + Math.random() * 0.2);
}

function noop(): void {
  // what became of it is told elsewhere
}
