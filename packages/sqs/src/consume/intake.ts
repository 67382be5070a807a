import type { Message } from "@aws-sdk/client-sqs";
import type { Settler } from "../delivery/settler.js";
import { isHopeless, type Receiver, receiveBackoffMs } from "../requests/receive.js";
import { sleep } from "../timers.js";
import type { Hooks } from "./hooks.js";
import type { InHand } from "./in-flight.js";
import type { ReceiveSettings } from "./options.js";
import type { Counters } from "./stats.js";

/** One receive under way for so many slots, while messages keep coming. */
export const SLOTS_PER_RECEIVE = 10;
/** Between receives that do not wait, on an empty queue. */
const EMPTY_PAUSE_MS = 200;
/** No receive goes out while so many finished messages for each slot are not settled. */
const UNSETTLED_PER_SLOT = 10;

export interface IntakeOptions {
  readonly settings: ReceiveSettings;
  readonly receiver: Receiver;
  readonly inHand: InHand;
  readonly settler: Settler;
  readonly hooks: Hooks<Message>;
  readonly counters: Counters;
}

/** Decides when to receive and how much to ask for, so that the slots are full and requests few. */
export class Intake {
  readonly #options: IntakeOptions;
  /** Messages that receives under way may bring. */
  #asked = 0;
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
      void this.#receive(max, signal).catch((error: unknown) => {
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
  async once(
    signal: AbortSignal | undefined,
    isOver: () => boolean,
  ): Promise<readonly Promise<void>[]> {
    const wake = (): void => this.wake();
    signal?.addEventListener("abort", wake);
    try {
      for (;;) {
        if (isOver() || signal?.aborted === true) return [];
        const max = this.#free();
        if (max > 0) return await this.#ask(max, signal);
        await this.#changed();
      }
    } finally {
      signal?.removeEventListener("abort", wake);
    }
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
    const free = this.#free();
    const underWay = this.#options.receiver.size;
    if (free === 0 || underWay === 0) return free;
    const { concurrency, maxMessages } = this.#options.settings;
    const limit = this.#isBusy ? Math.ceil(concurrency / SLOTS_PER_RECEIVE) : 1;
    // besides another, only a full one is worth its price
    return underWay < limit && free === maxMessages ? free : 0;
  }

  #free(): number {
    const { settings, settler, inHand } = this.#options;
    const { concurrency, maxMessages } = settings;
    if (settler.size >= concurrency * UNSETTLED_PER_SLOT) return 0;
    return Math.max(0, Math.min(maxMessages, concurrency - inHand.size - this.#asked));
  }

  async #receive(max: number, stopped: AbortSignal): Promise<void> {
    const { settings, hooks, counters } = this.#options;
    try {
      const accepted = await this.#ask(max, undefined);
      this.#failures = 0;
      this.#isBusy = accepted.length > 0;
      if (!this.#isBusy && settings.waitTimeSeconds === 0) this.#pause(EMPTY_PAUSE_MS, stopped);
    } catch (error) {
      if (counters.lastReceiveAt === undefined && isHopeless(error)) throw error;
      this.#isBusy = false;
      // receives that fail side by side fail once
      if (!this.#isPaused) {
        this.#failures += 1;
        this.#pause(receiveBackoffMs(this.#failures), stopped);
      }
      void hooks.error(error, null, null);
    }
  }

  async #ask(max: number, signal: AbortSignal | undefined): Promise<readonly Promise<void>[]> {
    const { receiver, inHand, counters } = this.#options;
    const askedAt = Date.now();
    this.#asked += max;
    try {
      return await receiver.receive(max, signal, (messages) => {
        const answeredAt = Date.now();
        counters.received += messages.length;
        counters.lastReceiveAt = answeredAt;
        return messages.map((message) => inHand.accept(message, { askedAt, answeredAt }));
      });
    } finally {
      this.#asked -= max;
      this.wake();
    }
  }

  #pause(ms: number, stopped: AbortSignal): void {
    this.#isPaused = true;
    void sleep(ms, stopped).then(() => {
      this.#isPaused = false;
      this.wake();
    });
  }
}
