import { InvalidArgumentError } from "../errors.js";
import type { Headers } from "../headers.js";
import type { Handlers, Routes } from "../messages/router.js";
import { ManualClock } from "./clock.js";
import { MemoryConsumer, type MemoryConsumerOptions } from "./memory-consumer.js";
import type { MemoryMessage, StoredMessage } from "./memory-message.js";
import {
  MemoryPublisher,
  type MemoryPublisherOptions,
  type MemorySendOptions,
} from "./memory-publisher.js";
import { MemoryQueue, type Redrive } from "./memory-queue.js";

const DEAD_LETTER_QUEUE = /-dlq(\.fifo)?$/;

export interface MemoryTransportOptions {
  /** Default: a new one, at {@link MemoryTransport.clock}. */
  readonly clock?: ManualClock | undefined;
  /** Hides received messages for so long. Default 30. */
  readonly visibilityTimeoutSeconds?: number | undefined;
  /**
   * Redrive: a message received so often goes to the dead-letter queue instead of being received
   * again. Default: never.
   */
  readonly maxReceiveCount?: number | undefined;
}

/**
 * A broker in memory, for tests of handlers, retries and dead-lettering: visibility timeouts,
 * redelivery, delays, dead-letter queues and FIFO groups, on a clock that the test moves. Bodies are
 * real encoded text, and core decides as it does for every broker.
 *
 * A queue exists once it is named. One whose name ends in `.fifo` is FIFO. The dead-letter queue of
 * `orders` is `orders-dlq`, that of `orders.fifo` is `orders-dlq.fifo`.
 *
 * @throws `InvalidArgumentError` for options that cannot be meant.
 */
export class MemoryTransport {
  readonly clock: ManualClock;
  readonly #visibilityTimeoutSeconds: number;
  readonly #maxReceiveCount: number | undefined;
  readonly #queues = new Map<string, MemoryQueue>();

  constructor(options: MemoryTransportOptions = {}) {
    const { clock, visibilityTimeoutSeconds = 30, maxReceiveCount } = options;
    requireTimeout(visibilityTimeoutSeconds);
    if (maxReceiveCount !== undefined && !(maxReceiveCount >= 1)) {
      const problem = `expected a number from 1, got ${maxReceiveCount}`;
      throw new InvalidArgumentError("maxReceiveCount", problem);
    }
    this.clock = clock ?? new ManualClock();
    this.#visibilityTimeoutSeconds = visibilityTimeoutSeconds;
    this.#maxReceiveCount = maxReceiveCount;
  }

  publisher(queue: string, options: MemoryPublisherOptions = {}): MemoryPublisher {
    return new MemoryPublisher(this.#queue(queue), options);
  }

  /** @throws `InvalidArgumentError` for options that cannot be meant. */
  consumer(
    queue: string,
    handlers: Routes<MemoryMessage> | Handlers<MemoryMessage>,
    options: MemoryConsumerOptions = {},
  ): MemoryConsumer {
    const { visibilityTimeoutSeconds = this.#visibilityTimeoutSeconds } = options;
    requireTimeout(visibilityTimeoutSeconds);
    const place = {
      clock: this.clock,
      queue: this.#queue(queue),
      deadLetterQueue: this.#queue(deadLetterQueueOf(queue)),
    };
    return new MemoryConsumer(place, handlers, { ...options, visibilityTimeoutSeconds });
  }

  /**
   * Puts any text into a queue, as another program might; a header `bq-schema-version` declares the
   * version. Returns the message's id.
   */
  sendRaw(
    queue: string,
    body: string,
    headers: Readonly<Headers> = {},
    options: Omit<MemorySendOptions, "headers"> = {},
  ): string {
    return this.#queue(queue).send({ ...options, body, headers });
  }

  /** What is in a queue, in the order it came: visible, delayed or held by a consumer. */
  messages(queue: string): readonly StoredMessage[] {
    return this.#queue(queue).list();
  }

  /** What is in the dead-letter queue of a queue. */
  deadLetters(queue: string): readonly StoredMessage[] {
    return this.messages(deadLetterQueueOf(queue));
  }

  #queue(name: string): MemoryQueue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue = new MemoryQueue(name, this.clock, this.#redriveOf(name));
    this.#queues.set(name, queue);
    return queue;
  }

  #redriveOf(name: string): Redrive | undefined {
    if (this.#maxReceiveCount === undefined || DEAD_LETTER_QUEUE.test(name)) return undefined;
    const deadLetterQueue = this.#queue(deadLetterQueueOf(name));
    return { maxReceiveCount: this.#maxReceiveCount, deadLetterQueue };
  }
}

function deadLetterQueueOf(queue: string): string {
  return queue.endsWith(".fifo") ? queue.replace(/\.fifo$/, "-dlq.fifo") : `${queue}-dlq`;
}

function requireTimeout(seconds: number): void {
  if (Number.isFinite(seconds) && seconds > 0) return;
  const problem = `expected seconds, more than 0, got ${seconds}`;
  throw new InvalidArgumentError("visibilityTimeoutSeconds", problem);
}
