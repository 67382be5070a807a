import { join } from "node:path";
import { Child } from "./children.mjs";
import { now, sleep } from "./clock.mjs";

/**
 * @typedef {"SIGKILL" | "SIGTERM"} Signal
 * @typedef {object} Ended
 * @property {string} client
 * @property {string} log
 * @property {import("./evidence.mjs").Instance["end"]} end
 * @property {string} detail
 * @property {number} endedAt
 *
 * @typedef {object} Current the process that runs
 * @property {Child} child
 * @property {string} client
 * @property {string} log
 * @property {Signal | undefined} asked
 * @property {Promise<void>} done
 */

/** No handler of the soak, and no fault, keeps a stop longer than this. */
const STOP_LIMIT_MS = 45_000;

/** The consumer of one slot: a process after the other. */
export class ConsumerSlot {
  /** @type {Ended[]} */
  ended = [];
  #options;
  #generation = 0;
  /** @type {Promise<void>} */
  #restarts = Promise.resolve();
  /** @type {Current | undefined} */
  #current;

  /**
   * @param {{ slot: number, proxy: string, directory: string, queues: readonly import("./queues.mjs").QueuePair[] }} options
   */
  constructor(options) {
    this.#options = options;
  }

  start() {
    const { slot, proxy, directory, queues } = this.#options;
    this.#generation += 1;
    const client = `consumer-${slot}.${this.#generation}`;
    const log = join(directory, `${client}.log`);
    /** @type {import("./consumer.mjs").Job} */
    const job = { slot, endpoint: `${proxy}/${client}`, log, queues };
    const child = new Child("consumer.mjs", JSON.stringify(job));
    /** @type {Current} */
    const current = { child, client, log, asked: undefined, done: Promise.resolve() };
    this.#current = current;
    current.done = this.#watch(current);
  }

  /**
   * Ends the process and starts the next; one such order after the other.
   *
   * @param {Signal} signal
   * @param {number} pauseMs
   */
  restart(signal, pauseMs) {
    this.#restarts = this.#restart(this.#restarts, signal, pauseMs);
    return this.#restarts;
  }

  /**
   * @param {Promise<void>} before
   * @param {Signal} signal
   * @param {number} pauseMs
   */
  async #restart(before, signal, pauseMs) {
    await before;
    await this.end(signal);
    await sleep(pauseMs);
    this.start();
  }

  /**
   * Ends the process, once it is up; resolves when it has ended.
   *
   * @param {Signal} signal
   */
  async end(signal) {
    const current = this.#current;
    if (current === undefined) return;
    await current.child.first;
    current.asked = signal;
    current.child.kill(signal);
    await current.child.endsWithin(STOP_LIMIT_MS);
    await current.done;
  }

  /** @param {Current} current */
  async #watch(current) {
    const { child, client, log } = current;
    const { code, signal } = await child.exited;
    const detail = `asked ${current.asked ?? "nothing"}, exit ${code ?? signal} ${child.errors}`;
    this.ended.push({
      client,
      log,
      end: endOf(current.asked, code, signal),
      detail,
      endedAt: now(),
    });
  }
}

/**
 * @param {Signal | undefined} asked
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 * @returns {Ended["end"]}
 */
function endOf(asked, code, signal) {
  if (asked === "SIGKILL") return "killed";
  if (asked === "SIGTERM" && signal === "SIGKILL") return "hung";
  return asked === "SIGTERM" && code === 0 ? "stopped" : "crashed";
}
