import type { Message } from "@aws-sdk/client-sqs";
import type { Reporter } from "@babelqueue/core/transport";
import type { Hold } from "../delivery/hold.js";
import { type FailedRequest, VisibilityLostError } from "../errors.js";
import type { RequestResult } from "../requests/result.js";
import type { VisibilityChanges } from "../requests/visibility.js";
import { sleep } from "../timers.js";
import type { Queue } from "../wire/queue.js";

const FIRST_RETRY_MS = 500;

export interface HeartbeatOptions {
  readonly queue: Queue;
  /** The visibility timeout that each beat renews. */
  readonly timeoutSeconds: number;
  readonly extensions: VisibilityChanges;
  /** Told once of each message whose hold was lost. */
  readonly reporter: Reporter<Message>;
}

interface Beat {
  readonly stop: AbortController;
  /** The extension under way. */
  current: Promise<void> | undefined;
}

/**
 * Keeps the messages in flight invisible to others: every half timeout, all together, each is hidden
 * for the whole timeout from then on. A failure that may pass is tried again until the timeout has
 * lapsed; then the hold is lost.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #beats = new Map<Hold, Beat>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(hold: Hold): void {
    this.#beats.set(hold, { stop: new AbortController(), current: undefined });
    this.#timer ??= setInterval(() => this.#beatAll(), this.#options.timeoutSeconds * 500);
  }

  /** No extension goes out from now on, and none is under way when this resolves. */
  async stop(hold: Hold): Promise<void> {
    const beat = this.#beats.get(hold);
    if (beat === undefined) return;
    this.#forget(hold);
    beat.stop.abort();
    await beat.current;
  }

  #forget(hold: Hold): void {
    this.#beats.delete(hold);
    if (this.#beats.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beatAll(): void {
    for (const [hold, beat] of this.#beats) {
      beat.current ??= this.#extend(hold, beat.stop.signal).finally(() => {
        beat.current = undefined;
      });
    }
  }

  async #extend(hold: Hold, stopped: AbortSignal): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs *= 2) {
      const sentAt = Date.now();
      const seconds = Math.min(this.#options.timeoutSeconds, hold.remainingSeconds);
      const result = seconds === 0 ? OVER : await this.#request(hold, seconds);
      if (stopped.aborted) return;
      if (result.ok) {
        hold.extend(sentAt, seconds);
        return;
      }
      const { failed } = result;
      if (failed.senderFault) return this.#lose(hold, failed);
      await sleep(Math.min(waitMs, hold.lapsesInMs), stopped);
      if (stopped.aborted) return;
      if (hold.lapsesInMs <= 0) return this.#lose(hold, failed);
    }
  }

  /** The result, or a failure where there is none before the timeout lapses. */
  async #request(hold: Hold, seconds: number): Promise<RequestResult<void>> {
    const extension = this.#options.extensions.add(() => hold.hiddenFor(seconds));
    const lapse = new AbortController();
    const late = sleep(hold.lapsesInMs, lapse.signal).then(() => LATE);
    const result = await Promise.race([extension, late]);
    lapse.abort();
    return result;
  }

  async #lose(hold: Hold, { cause }: FailedRequest): Promise<void> {
    const { queue, reporter } = this.#options;
    this.#forget(hold);
    const error = new VisibilityLostError(queue.name, { cause });
    hold.lose(error);
    await reporter.error(error, null, hold.message);
  }
}

/** SQS holds no message for longer than 12 hours. */
const OVER = notExtended("HoldLimit", "SQS holds a message for 12 hours at most");
const LATE = notExtended("NoAnswer", "SQS did not answer before the visibility timeout lapsed");

function notExtended(code: string, message: string): RequestResult<void> {
  return {
    ok: false,
    failed: { code, senderFault: false, cause: new Error(message) },
    again: false,
  };
}
