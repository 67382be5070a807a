/** @import { Handlers, Routes } from "@babelqueue/core" */
/** @import { Outcome, SettlementOptions } from "@babelqueue/core/transport" */
import { isUtf8 } from "node:buffer";
import { setTimeout as sleep } from "node:timers/promises";
import { amendEnvelope, decodeEnvelope } from "@babelqueue/core";
import { createConsume, createReporter } from "@babelqueue/core/transport";
import { RESP_TYPES } from "@redis/client";

/**
 * @typedef {object} OwnOptions
 * @property {string} name of the consumer: no other has it at the same time, and a restart keeps it
 * @property {boolean} [deadLetters] write to the list `<queue>-dlq`; default false
 * @property {number} [maxMessages] of one poll; default 10
 * @property {number} [waitSeconds] how long a poll waits for a message; default 1
 */

/** Bytes instead of text: what is no UTF-8 must be passed on as it came, too. */
const BYTES = { [RESP_TYPES.BLOB_STRING]: Buffer };

/** Consumes one Redis list, at least once: what is in hand is in a list of its own. */
export class RedisConsumer {
  /** An earlier run, or a lost reply, may have left something in the processing list. */
  #mustRecover = true;
  #isStopped = false;
  /** @type {Promise<unknown>} */
  #polling = Promise.resolve();

  /**
   * @param {import("@redis/client").RedisClientType} client
   * @param {string} queue
   * @param {Routes<Buffer> | Handlers<Buffer>} handlers
   * @param {OwnOptions & SettlementOptions<Buffer>} options
   */
  constructor(client, queue, handlers, options) {
    this.options = { deadLetters: false, maxMessages: 10, waitSeconds: 1, ...options };
    this.queue = queue;
    this.processing = `${queue}:processing:${options.name}`;
    this.consume = createConsume(handlers, this.options);
    this.reporter = createReporter(options);
    this.client = client.withTypeMapping(BYTES);
    // a connection of its own, for BLMOVE blocks it
    this.blocking = client.duplicate().withTypeMapping(BYTES);
    this.blocking.on("error", (error) => void this.reporter.error(error, null, null));
  }

  /** One batch, received, handled and settled: how many messages. Rejects if receiving fails. */
  poll() {
    const poll = this.#polling.then(() => this.#poll());
    this.#polling = poll.catch(() => undefined);
    return poll;
  }

  /** Polls until it is stopped. What fails is reported, and Redis is given time to come back. */
  async run() {
    this.#isStopped = false;
    while (!this.#isStopped) {
      try {
        await this.poll();
      } catch (error) {
        await this.reporter.error(error, null, null);
        await sleep(250);
      }
    }
  }

  /** Receives no more; resolves when what is in hand is handled and settled. */
  async stop() {
    this.#isStopped = true;
    // while Redis is away, waiting for it would not end
    if (!this.blocking.isReady && this.blocking.isOpen) this.blocking.destroy();
    await this.#polling;
    if (this.blocking.isOpen) this.blocking.destroy();
    this.#mustRecover = true;
  }

  async #poll() {
    if (!this.blocking.isOpen) await this.blocking.connect();
    if (this.#mustRecover) await this.#recover();
    this.#mustRecover = true; // unless all replies come
    const elements = await this.#receive();
    this.#mustRecover = false;
    await Promise.all(elements.map((element) => this.#handle(element)));
    return elements.length;
  }

  /** Puts back what is in the processing list. That was delivered once, so it counts. */
  async #recover() {
    const elements = await this.client.lRange(this.processing, 0, -1);
    for (const element of elements) await this.#move(element, this.queue, countedUp(element));
  }

  async #receive() {
    const { queue, processing, options, blocking } = this;
    const elements = [];
    let element = await blocking.blMove(queue, processing, "LEFT", "RIGHT", options.waitSeconds);
    while (element !== null) {
      elements.push(element);
      if (elements.length === options.maxMessages) break;
      element = await blocking.lMove(queue, processing, "LEFT", "RIGHT");
    }
    return elements;
  }

  /** @param {Buffer} element */
  async #handle(element) {
    const body = element.toString();
    const { signal } = new AbortController(); // nobody takes a message away from its consumer
    const place = { system: "redis", queue: this.queue };
    const outcome = await this.consume({ body, headers: {}, ...place, message: element, signal });
    try {
      await this.#settle(element, outcome);
    } catch (error) {
      this.#mustRecover = true;
      await this.reporter.error(error, outcome.envelope, element);
    }
  }

  /** @type {(element: Buffer, outcome: Outcome) => Promise<unknown>} */
  async #settle(element, outcome) {
    switch (outcome.kind) {
      case "ack":
      case "drop":
        return this.client.lRem(this.processing, 1, element);
      case "release": // at once: a list has no delays
        return this.#move(element, this.queue, countedUp(element));
      case "leave": // in the processing list, until this consumer is started again
        return undefined;
      case "dead-letter": // bytes that are no UTF-8 would not survive as text
        return this.#move(element, `${this.queue}-dlq`, isUtf8(element) ? outcome.body : element);
    }
  }

  /** @type {(element: Buffer, to: string, as: string | Buffer) => Promise<unknown>} */
  async #move(element, to, as) {
    // one transaction, so that it is never in both lists, nor in none
    return this.client.multi().rPush(to, as).lRem(this.processing, 1, element).exec();
  }
}

/**
 * Redis counts no deliveries, so the body does. What is no envelope stays as it is.
 *
 * @param {Buffer} element
 */
function countedUp(element) {
  const body = element.toString();
  try {
    const { attempts } = decodeEnvelope(body, { onWarning: () => undefined });
    return amendEnvelope(body, { attempts: attempts + 1 });
  } catch {
    return element;
  }
}
