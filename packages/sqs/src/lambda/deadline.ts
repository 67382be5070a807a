import type { RequestResult } from "../requests/result.js";
import { MAX_TIMER_MS, resolvesWithin } from "../timers.js";
import type { LambdaContext } from "./event.js";

/** Before Lambda ends the invocation, so that it can still answer. */
const RESERVE_MS = 1000;
/** The part of it that is left for the answer itself. */
const ANSWER_MS = 500;

/** When an invocation has to be done: 1 s before its time runs out. Without a context, never. */
export class Deadline {
  readonly #end = new AbortController();
  readonly #passed: Promise<undefined>;
  readonly #endsAt: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: LambdaContext | undefined, onPassed: () => void) {
    const remainingMs = remainingOf(context);
    this.#endsAt = Date.now() + remainingMs;
    this.#passed = new Promise((resolve) => {
      this.#end.signal.addEventListener("abort", () => resolve(undefined));
    });
    if (remainingMs === Number.POSITIVE_INFINITY) return;
    const ms = Math.min(Math.max(remainingMs - RESERVE_MS, 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#end.abort();
      onPassed();
    }, ms);
  }

  /** Aborts when it has passed. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isPassed(): boolean {
    return this.#end.signal.aborted;
  }

  /** The result of a request, or a failure where there is none in time. */
  async answered<T>(request: Promise<RequestResult<T>>): Promise<RequestResult<T>> {
    return (await this.inTime(request)) ?? LATE;
  }

  /** What the work resolves with, or undefined where it did not in time. */
  inTime<T>(work: Promise<T>): Promise<T | undefined> {
    return Promise.race([work, this.#passed]);
  }

  /** Waits for what the answer does not depend on, as long as there is time to answer. */
  async linger(work: Promise<unknown>): Promise<void> {
    const ms = Math.max(this.#endsAt - ANSWER_MS - Date.now(), 0);
    if (ms > MAX_TIMER_MS) await work;
    else await resolvesWithin(work, ms);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

function remainingOf(context: LambdaContext | undefined): number {
  if (typeof context?.getRemainingTimeInMillis !== "function") return Number.POSITIVE_INFINITY;
  const ms: unknown = context.getRemainingTimeInMillis();
  return typeof ms === "number" && !Number.isNaN(ms) ? ms : Number.POSITIVE_INFINITY;
}

const LATE: RequestResult<never> = {
  ok: false,
  failed: {
    code: "NoAnswer",
    senderFault: false,
    cause: new Error("SQS did not answer before the Lambda invocation ran out of time"),
  },
  again: false,
};
