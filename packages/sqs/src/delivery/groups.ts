import type { Outcome } from "@babelqueue/core";

/** What befalls the followers of a failed message: the same as the message itself. */
export type Fate =
  | { readonly kind: "release"; readonly delaySeconds: number }
  | { readonly kind: "leave" };

/** How the handling of a message ended: `fate` is null where all is well. */
export interface Ending {
  readonly fate: Fate | null;
  /** Resolves when the message is settled. */
  readonly settled: Promise<unknown>;
}

/**
 * The ending that an outcome comes to. One that was handled ends well before its delete is through;
 * of a dead-lettered one, only its settlement tells.
 */
export async function endingOf(outcome: Outcome, settled: Promise<Fate | null>): Promise<Ending> {
  switch (outcome.kind) {
    case "ack":
    case "drop":
      return { fate: null, settled };
    case "release":
    case "leave":
      return { fate: outcome, settled };
    case "dead-letter":
      return { fate: await settled, settled };
  }
}

/** A message that is handled in its turn, or meets the fate of one before it. Never rejects. */
export interface Member {
  start(): Promise<Ending>;
  /** It is not started. Resolves when it is settled. */
  suffer(fate: Fate): Promise<unknown>;
}

/**
 * The order of FIFO: members of one group are handled one after another, groups side by side. When
 * one fails, those that wait behind it meet its fate, and what comes meanwhile is not started before
 * all of them are settled, so that none is handled before it. Nothing is remembered of a group that
 * has no member in hand.
 */
export class Groups {
  readonly #waiting = new Map<string, Member[]>();

  add(group: string, member: Member): void {
    const waiting = this.#waiting.get(group);
    if (waiting === undefined) void this.#run(group, member);
    else waiting.push(member);
  }

  /** None of those that wait is started. */
  drain(fate: Fate): void {
    for (const waiting of this.#waiting.values()) void suffer(waiting, fate);
  }

  async #run(group: string, first: Member): Promise<void> {
    const waiting: Member[] = [];
    this.#waiting.set(group, waiting);
    for (let member: Member | undefined = first; member !== undefined; member = waiting.shift()) {
      const { fate, settled } = await member.start();
      if (fate !== null) await Promise.all([settled, suffer(waiting, fate)]);
    }
    this.#waiting.delete(group);
  }
}

async function suffer(waiting: Member[], fate: Fate): Promise<void> {
  await Promise.all(waiting.splice(0).map((member) => member.suffer(fate)));
}
