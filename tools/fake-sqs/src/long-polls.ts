import { abortError } from "./abort.js";
import type { Clock } from "./clock.js";
import type { StoredMessage } from "./message.js";

/** Takes what can be received now; an empty list when there is nothing. */
export type Attempt = () => readonly StoredMessage[];

interface Poll {
  readonly attempt: Attempt;
  readonly answer: (messages: readonly StoredMessage[]) => void;
}

/**
 * The receives that wait on one queue. Each ends with the first messages it can take, when its time
 * is up, or when it is aborted, which takes nothing. Messages go to the poll that waited longest.
 */
export class LongPolls {
  readonly #clock: Clock;
  readonly #nextVisibleAt: () => number | undefined;
  readonly #polls = new Set<Poll>();
  #cancelAlarm: (() => void) | undefined;

  /** @param nextVisibleAt when the next hidden message becomes visible by the clock alone */
  constructor(clock: Clock, nextVisibleAt: () => number | undefined) {
    this.#clock = clock;
    this.#nextVisibleAt = nextVisibleAt;
  }

  wait(
    attempt: Attempt,
    ms: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly StoredMessage[]> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#polls.delete(poll);
        cancelTimeout();
        signal?.removeEventListener("abort", onAbort);
        this.#setAlarm();
        settle();
      };
      const onAbort = (): void => end(() => reject(abortError()));
      const poll: Poll = { attempt, answer: (messages) => end(() => resolve(messages)) };
      const cancelTimeout = this.#clock.schedule(() => poll.answer([]), ms);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#polls.add(poll);
      this.#setAlarm();
    });
  }

  /** The queue has changed: lets the waiting receives try again. */
  wake(): void {
    for (const poll of this.#polls) {
      const messages = poll.attempt();
      if (messages.length === 0) break;
      poll.answer(messages);
    }
    this.#setAlarm();
  }

  #setAlarm(): void {
    this.#cancelAlarm?.();
    this.#cancelAlarm = undefined;
    if (this.#polls.size === 0) return;
    const at = this.#nextVisibleAt();
    if (at === undefined) return;
    const ms = Math.max(1, at - this.#clock.now());
    this.#cancelAlarm = this.#clock.schedule(() => this.wake(), ms);
  }
}
