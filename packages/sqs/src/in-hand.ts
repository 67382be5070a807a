import type { Message } from "@aws-sdk/client-sqs";
import type { Consume, Outcome, Reporter } from "@babelqueue/core";
import { toDelivery } from "./delivery.js";
import { HandlerUnfinishedError } from "./errors.js";
import { type Fate, Groups } from "./groups.js";
import type { Heartbeat } from "./heartbeat.js";
import { Claims, Held } from "./held.js";
import type { Queue } from "./queue.js";
import type { Settler } from "./settle.js";
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

/** The messages that were received and are not finished: at most one handler runs for each. */
export class InHand {
  readonly #options: InHandOptions;
  readonly #held = new Set<Held>();
  readonly #claims = new Claims();
  readonly #groups = new Groups();
  #onIdle: (() => void)[] = [];
  #isClosed = false;

  constructor(options: InHandOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Resolves when the message is finished, that is its settlement has begun. Never rejects. */
  accept(message: Message, receivedAt: number): Promise<void> {
    const { queue, visibilityTimeoutSeconds, settler, heartbeat } = this.#options;
    const claim = this.#claims.take(message);
    const held = new Held(message, claim, receivedAt, visibilityTimeoutSeconds);
    if (this.#isClosed) {
      this.#settled(held, settler.settle(held, { ...AT_ONCE, envelope: null }));
      return Promise.resolve();
    }
    this.#held.add(held);
    heartbeat?.start(held);
    if (!queue.fifo) return this.#handle(held).then(() => undefined);
    return new Promise((resolve) => {
      const start = async (): Promise<Fate | null> => {
        const fate = await this.#handle(held);
        resolve();
        return fate;
      };
      const suffer = (fate: Fate): void => {
        void this.#finish(held, { ...fate, envelope: null }).then(() => resolve());
      };
      this.#groups.add(message.Attributes?.MessageGroupId ?? "", { start, suffer });
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
    for (const held of this.#held) held.abort(reason);
  }

  /** Leaves what is still running, and reports it. */
  async abandon(): Promise<void> {
    const { queue, counters, reporter, heartbeat } = this.#options;
    for (const held of [...this.#held]) {
      held.isAbandoned = true;
      counters.left += 1;
      this.#free(held);
      await heartbeat?.stop(held);
      await reporter.error(new HandlerUnfinishedError(queue.name), null, held.message);
    }
  }

  async #handle(held: Held): Promise<Fate | null> {
    if (held.claim.isFinished) {
      const { settler, heartbeat } = this.#options;
      await heartbeat?.stop(held);
      this.#free(held);
      this.#settled(held, settler.deleteAgain(held));
      return null;
    }
    const outcome = await this.#outcomeOf(held);
    if (held.isAbandoned) {
      this.#claims.drop(held);
      return { kind: "leave" };
    }
    const isGone = await this.#finish(held, outcome);
    switch (outcome.kind) {
      case "ack":
      case "drop":
        return null;
      case "release":
        return { kind: "release", delaySeconds: outcome.delaySeconds };
      case "leave":
        return { kind: "leave" };
      case "dead-letter":
        return (await isGone.settlement) ? null : { kind: "leave" };
    }
  }

  async #outcomeOf(held: Held): Promise<Outcome> {
    const { queue, consume, reporter } = this.#options;
    if (held.isLost || held.lapsesAt <= Date.now()) {
      const message = `A message of queue ${queue.name} was not started: its visibility timeout had lapsed while it waited for its turn. Raise visibilityTimeoutSeconds, or turn heartbeat on.`;
      reporter.warning({ code: "visibility_lapsed", message });
      return { kind: "leave", envelope: null };
    }
    const outcome = await consume(toDelivery(held.message, queue, held.signal));
    const isToNobody = outcome.kind === "release" && held.isLost;
    return isToNobody ? { kind: "leave", envelope: outcome.envelope } : outcome;
  }

  /** Begins to settle and frees the slot; the settlement goes on by itself. */
  async #finish(held: Held, outcome: Outcome): Promise<{ settlement: Promise<boolean> }> {
    const { settler, heartbeat } = this.#options;
    await heartbeat?.stop(held);
    const settlement = settler.settle(held, outcome);
    this.#free(held);
    this.#settled(held, settlement);
    return { settlement };
  }

  #settled(held: Held, settlement: Promise<boolean>): void {
    void settlement.then(() => {
      this.#claims.drop(held);
      this.#options.onFree();
    });
  }

  #free(held: Held): void {
    this.#held.delete(held);
    this.#options.onFree();
    if (this.#held.size > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
