import type { Message } from "@aws-sdk/client-sqs";
import type { Consume, Outcome } from "@babelqueue/core";
import type { Reporter } from "@babelqueue/core/transport";
import { Groups } from "../delivery/groups.js";
import { type Hold, Holds, type Times } from "../delivery/hold.js";
import { type Ending, endingOf, type Inheritance } from "../delivery/inheritance.js";
import type { Settled } from "../delivery/settled.js";
import type { Settler } from "../delivery/settler.js";
import { HandlerUnfinishedError } from "../errors.js";
import { toDelivery } from "../wire/incoming.js";
import type { Queue } from "../wire/queue.js";
import type { Heartbeat } from "./heartbeat.js";

export interface InFlightOptions {
  readonly queue: Queue;
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly consume: Consume<Message>;
  readonly settler: Settler;
  readonly heartbeat: Heartbeat | undefined;
  readonly reporter: Reporter<Message>;
  /** Told once of each message, what it came to. */
  readonly onSettled: (settled: Settled) => void;
  /** A message less is in flight, or unsettled. */
  readonly onFree: () => void;
}

const AT_ONCE: Inheritance = { kind: "release", delaySeconds: 0 };

/** The messages that were received and are not finished, waiting for their turn or being handled. */
export class InFlight {
  readonly #options: InFlightOptions;
  /** With what is to be called when a message is finished. */
  readonly #unfinished = new Map<Hold, () => void>();
  readonly #holds = new Holds();
  #groups = new Groups();
  #onIdle: (() => void)[] = [];
  #isClosed = false;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#unfinished.size;
  }

  /** Resolves when the message is finished, that is its settlement has begun. Never rejects. */
  accept(message: Message, times: Times): Promise<void> {
    const { queue, visibilityTimeoutSeconds, heartbeat } = this.#options;
    const hold = this.#holds.take(message, times, visibilityTimeoutSeconds);
    return new Promise((resolve) => {
      this.#unfinished.set(hold, resolve);
      heartbeat?.start(hold);
      if (this.#isClosed) {
        void this.#inherit(hold, AT_ONCE);
      } else if (queue.fifo) {
        this.#groups.add(message.Attributes?.MessageGroupId ?? "", {
          start: () => this.#handle(hold),
          inherit: (inheritance) => this.#inherit(hold, inheritance),
        });
      } else {
        void this.#handle(hold);
      }
    });
  }

  /** From now on nothing is started: what waits, and what still comes, is released at once. */
  close(): void {
    this.#isClosed = true;
    this.#groups.drain(AT_ONCE);
  }

  reopen(): void {
    this.#isClosed = false;
  }

  /** Resolves when nothing is in flight. */
  idle(): Promise<void> {
    if (this.#unfinished.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle.push(resolve);
    });
  }

  /** Tells every handler that its hold is about to be lost. */
  abort(reason: Error): void {
    for (const hold of this.#unfinished.keys()) hold.abort(reason);
  }

  /** Leaves what is still running, and reports it. */
  abandon(): void {
    const { queue, reporter, heartbeat, onSettled } = this.#options;
    for (const hold of [...this.#unfinished.keys()]) {
      hold.abandon();
      this.#holds.drop(hold);
      this.#freeSlot(hold);
      void heartbeat?.stop(hold);
      onSettled({ kind: "left" });
      void reporter.error(new HandlerUnfinishedError(queue.name), null, hold.message);
    }
    // those left behind may never let go of their groups
    this.#groups = new Groups();
  }

  async #handle(hold: Hold): Promise<Ending> {
    const { settler } = this.#options;
    if (hold.isHandled) {
      const settled = this.#settle(hold, () => settler.deleteAgain(hold));
      return { inheritance: null, settled };
    }
    const outcome = await this.#outcomeOf(hold);
    if (hold.isAbandoned) return { inheritance: { kind: "leave" }, settled: Promise.resolve() };
    // known at once: a heartbeat under way may hold the delete up, and the message come again
    if (outcome.kind === "ack" || outcome.kind === "drop") hold.markHandled();
    return endingOf(
      outcome,
      this.#settle(hold, () => settler.settle(hold, outcome)),
    );
  }

  async #inherit(hold: Hold, inheritance: Inheritance): Promise<void> {
    const { settler } = this.#options;
    await this.#settle(hold, () => settler.settle(hold, { ...inheritance, envelope: null }));
  }

  async #outcomeOf(hold: Hold): Promise<Outcome> {
    const { queue, consume, reporter } = this.#options;
    if (hold.isLost || hold.lapsesInMs <= 0) {
      const message =
        `A message of queue ${queue.name} was not started: its visibility timeout had lapsed while ` +
        "it waited for its turn. Raise visibilityTimeoutSeconds, or turn heartbeat on.";
      reporter.warning({ code: "visibility_lapsed", message });
      return { kind: "leave", envelope: null };
    }
    try {
      const outcome = await consume(toDelivery(hold.message, queue, hold));
      return outcome.kind === "release" && hold.isLost ? { ...outcome, kind: "leave" } : outcome;
    } catch (thrown) {
      // a message that cannot even be read, of a client that makes its own
      void reporter.error(thrown, null, hold.message);
      return { kind: "leave", envelope: null };
    }
  }

  /** Begins to settle and frees the slot; resolves when it is settled. */
  async #settle(hold: Hold, settle: () => Promise<Settled>): Promise<Settled> {
    const { heartbeat, onSettled, onFree } = this.#options;
    await heartbeat?.stop(hold);
    const settlement = settle();
    this.#freeSlot(hold);
    const settled = await settlement;
    this.#holds.drop(hold);
    onSettled(settled);
    onFree();
    return settled;
  }

  #freeSlot(hold: Hold): void {
    this.#unfinished.get(hold)?.();
    this.#unfinished.delete(hold);
    this.#options.onFree();
    if (this.#unfinished.size > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
