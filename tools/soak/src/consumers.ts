import { join } from "node:path";
import { Child } from "./children.js";
import { now, sleep } from "./clock.js";
import type { Job } from "./consumer.js";
import type { Instance } from "./evidence.js";
import type { QueuePair } from "./queues.js";

export type Signal = "SIGKILL" | "SIGTERM";

interface SlotOptions {
  slot: number;
  proxy: string;
  directory: string;
  queues: readonly QueuePair[];
}

interface Ended {
  client: string;
  log: string;
  end: Instance["end"];
  detail: string;
  endedAt: number;
}

/** The process that runs. */
interface Current {
  child: Child;
  client: string;
  log: string;
  asked: Signal | undefined;
  done: Promise<void>;
}

/** No handler of the soak, and no fault, keeps a stop longer than this. */
const STOP_LIMIT_MS = 45_000;

/** The consumer of one slot: a process after the other. */
export class ConsumerSlot {
  ended: Ended[] = [];
  readonly #options: SlotOptions;
  #generation = 0;
  #restarts: Promise<void> = Promise.resolve();
  #current: Current | undefined;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  start(): void {
    const { slot, proxy, directory, queues } = this.#options;
    this.#generation += 1;
    const client = `consumer-${slot}.${this.#generation}`;
    const log = join(directory, `${client}.log`);
    const job: Job = { slot, endpoint: `${proxy}/${client}`, log, queues };
    const child = new Child("consumer.mjs", JSON.stringify(job));
    const current: Current = { child, client, log, asked: undefined, done: Promise.resolve() };
    this.#current = current;
    current.done = this.#watch(current);
  }

  /** Ends the process and starts the next; one such order after the other. */
  restart(signal: Signal, pauseMs: number): Promise<void> {
    this.#restarts = this.#restart(this.#restarts, signal, pauseMs);
    return this.#restarts;
  }

  async #restart(before: Promise<void>, signal: Signal, pauseMs: number): Promise<void> {
    await before;
    await this.end(signal);
    await sleep(pauseMs);
    this.start();
  }

  /** Ends the process, once it is up; resolves when it has ended. */
  async end(signal: Signal): Promise<void> {
    const current = this.#current;
    if (current === undefined) return;
    await current.child.first;
    current.asked = signal;
    current.child.kill(signal);
    await current.child.endsWithin(STOP_LIMIT_MS);
    await current.done;
  }

  async #watch(current: Current): Promise<void> {
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

function endOf(
  asked: Signal | undefined,
  code: number | null,
  signal: NodeJS.Signals | null,
): Ended["end"] {
  if (asked === "SIGKILL") return "killed";
  if (asked === "SIGTERM" && signal === "SIGKILL") return "hung";
  return asked === "SIGTERM" && code === 0 ? "stopped" : "crashed";
}
