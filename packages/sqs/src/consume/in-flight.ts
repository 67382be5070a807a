import type { Message } from "@aws-sdk/client-sqs";
import type { Consume, Outcome, Reporter } from "@babelqueue/core";
import { type Ending, endingOf, type Fate, Groups } from "../delivery/groups.js";
import { Claims, Held, type Times } from "../delivery/hold.js";
import type { Settler } from "../delivery/settler.js";
import { HandlerUnfinishedError } from "../errors.js";
import { toDelivery } from "../wire/incoming.js";
import type { Queue } from "../wire/queue.js";
import type { Heartbeat } from "./heartbeat.js";
import type { Counters } from "./stats.js";

export interface InHandOptions {
  readonly queue: Queue;
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly consume: Consume<Message>;
  readonly settler: Settler;
  readonly heartbeat: Heartbeat | undefined;
  readonly reporter: Reporter<Message>;
  readonly counters: Counters;
  /** A message less is in hand, or not settled. */
  readonly onFree: () => void;
}

const AT_ONCE: Fate = { kind: "release", delaySeconds: 0 };

/** The messages that were received and are not finished, waiting for their turn or being handled. */
export class InHand {
  readonly #options: InHandOptions;
  /** With what is to be called when a message is finished. */
  readonly #held = new Map<Held, () => void>();
  readonly #claims = new Claims();
  #groups = new Groups();
  #onIdle: (() => void)[] = [];
  #isClosed = false;

  constructor(options: InHandOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Resolves when the message is finished, that is its settlement has begun. Never rejects. */
  accept(message: Message, received: Times): Promise<void> {
    const { queue, visibilityTimeoutSeconds, heartbeat } = this.#options;
    const claim = this.#claims.take(message);
    const held = new Held(message, claim, received, visibilityTimeoutSeconds);
    return new Promise((resolve) => {
      this.#held.set(held, resolve);
      heartbeat?.start(held);
      if (this.#isClosed) {
        void this.#suffer(held, AT_ONCE);
      } else if (queue.fifo) {
        this.#groups.add(message.Attributes?.MessageGroupId ?? "", {
          start: () => this.#handle(held),
          suffer: (fate) => this.#suffer(held, fate),
        });
      } else {
        void this.#handle(held);
      }
    });
  }

  /** From now on nothing is started: what waits, and what still comes, is released at once. */
  close(): void {
    this.#isClosed = true;
    this.#groups.drain(AT_ONCE);
  }

  open(): void {
    this.#isClosed = false;
  }

  /** Resolves when nothing is in hand. */
  idle(): Promise<void> {
    if (this.#held.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle.push(resolve);
    });
  }

  /** Tells every handler that its hold is about to be lost. */
  abort(reason: Error): void {
    for (const held of this.#held.keys()) held.abort(reason);
  }

  /** Leaves what is still running, and reports it. */
  abandon(): void {
    const { queue, counters, reporter, heartbeat } = this.#options;
    for (const held of [...this.#held.keys()]) {
      held.isAbandoned = true;
      counters.left += 1;
      this.#claims.drop(held);
      this.#free(held);
      void heartbeat?.stop(held);
      void reporter.error(new HandlerUnfinishedError(queue.name), null, held.message);
    }
    // those left behind may never let go of their groups
    this.#groups = new Groups();
  }

  async #handle(held: Held): Promise<Ending> {
    const { settler } = this.#options;
    if (held.claim.isFinished) {
      return { fate: null, settled: this.#finish(held, () => settler.deleteAgain(held)) };
    }
    const outcome = await this.#outcomeOf(held);
    if (held.isAbandoned) return { fate: { kind: "leave" }, settled: Promise.resolve() };
    // known at once: a heartbeat under way may hold the delete up, and the message come again
    if (outcome.kind === "ack" || outcome.kind === "drop") held.claim.isFinished = true;
    return endingOf(
      outcome,
      this.#finish(held, () => settler.settle(held, outcome)),
    );
  }

  #suffer(held: Held, fate: Fate): Promise<unknown> {
    const { settler } = this.#options;
    return this.#finish(held, () => settler.settle(held, { ...fate, envelope: null }));
  }

  async #outcomeOf(held: Held): Promise<Outcome> {
    const { queue, consume, reporter } = this.#options;
    if (held.isLost || held.lapsesAt <= Date.now()) {
      const message =
        `A message of queue ${queue.name} was not started: its visibility timeout had lapsed while ` +
        "it waited for its turn. Raise visibilityTimeoutSeconds, or turn heartbeat on.";
      reporter.warning({ code: "visibility_lapsed", message });
      return { kind: "leave", envelope: null };
    }
    try {
      const outcome = await consume(toDelivery(held.message, queue, held));
      return outcome.kind === "release" && held.isLost ? { ...outcome, kind: "leave" } : outcome;
    } catch (thrown) {
      // a message that cannot even be read, of a client that makes its own
      void reporter.error(thrown, null, held.message);
      return { kind: "leave", envelope: null };
    }
  }

  /** Begins to settle and frees the slot; resolves when it is settled. */
  async #finish(held: Held, settle: () => Promise<Fate | null>): Promise<Fate | null> {
    await this.#options.heartbeat?.stop(held);
    const settlement = settle();
    this.#free(held);
    const fate = await settlement;
    this.#claims.drop(held);
    this.#options.onFree();
    return fate;
  }

  #free(held: Held): void {
    this.#held.get(held)?.();
    this.#held.delete(held);
    this.#options.onFree();
    if (this.#held.size > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
