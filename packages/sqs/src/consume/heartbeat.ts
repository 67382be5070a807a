import type { Held } from "../delivery/hold.js";
import type { EntryResult, Failure } from "../requests/result.js";
import { sleep } from "../timers.js";

const FIRST_RETRY_MS = 500;

export interface HeartbeatOptions {
  /** The visibility timeout that each beat renews. */
  readonly timeoutSeconds: number;
  readonly extend: (held: Held, seconds: number) => Promise<EntryResult<void>>;
  /** Told once of each message whose hold was lost. Never rejects. */
  readonly onLost: (held: Held, cause: unknown) => Promise<void>;
}

interface Beat {
  readonly stop: AbortController;
  /** The extension under way. */
  current: Promise<void> | undefined;
}

/**
 * Keeps the messages in hand invisible to others: every half timeout, all together, each is hidden
 * for the whole timeout from then on. A failure that may pass is tried again until the timeout has
 * lapsed; then the hold is lost.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #beats = new Map<Held, Beat>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(held: Held): void {
    this.#beats.set(held, { stop: new AbortController(), current: undefined });
    this.#timer ??= setInterval(() => this.#beatAll(), this.#options.timeoutSeconds * 500);
  }

  /** No extension goes out from now on, and none is under way when this resolves. */
  async stop(held: Held): Promise<void> {
    const beat = this.#beats.get(held);
    if (beat === undefined) return;
    this.#forget(held);
    beat.stop.abort();
    await beat.current;
  }

  #forget(held: Held): void {
    this.#beats.delete(held);
    if (this.#beats.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beatAll(): void {
    for (const [held, beat] of this.#beats) {
      beat.current ??= this.#extend(held, beat.stop.signal).finally(() => {
        beat.current = undefined;
      });
    }
  }

  async #extend(held: Held, stopped: AbortSignal): Promise<void> {
    const { timeoutSeconds, extend } = this.#options;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs *= 2) {
      const sentAt = Date.now();
      const seconds = Math.min(timeoutSeconds, held.remainingSeconds);
      const result = seconds === 0 ? OVER : await this.#inTime(held, extend(held, seconds));
      if (stopped.aborted) return;
      if (result.ok) {
        held.lapsesAt = sentAt + seconds * 1000;
        return;
      }
      const { failure } = result;
      if (failure.senderFault) return this.#lose(held, failure);
      await sleep(Math.min(waitMs, held.lapsesAt - Date.now()), stopped);
      if (stopped.aborted) return;
      if (held.lapsesAt <= Date.now()) return this.#lose(held, failure);
    }
  }

  /** The result, or a failure where there is none before the timeout lapses. */
  async #inTime(held: Held, extension: Promise<EntryResult<void>>): Promise<EntryResult<void>> {
    const lapse = new AbortController();
    const late = sleep(held.lapsesAt - Date.now(), lapse.signal).then(() => LATE);
    const result = await Promise.race([extension, late]);
    lapse.abort();
    return result;
  }

  #lose(held: Held, { cause }: Failure): Promise<void> {
    this.#forget(held);
    return this.#options.onLost(held, cause);
  }
}

/** SQS holds no message for longer than 12 hours. */
const OVER = failed("HoldLimit", "SQS holds a message for 12 hours at most");
const LATE = failed("NoAnswer", "SQS did not answer before the visibility timeout lapsed");

function failed(code: string, message: string): EntryResult<void> {
  return { ok: false, failure: { code, senderFault: false, cause: new Error(message) } };
}
