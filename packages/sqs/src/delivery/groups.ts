import type { Ending, Inheritance } from "./inheritance.js";

/** A message that is handled in its turn, or inherits from one before it. Never rejects. */
export interface Member {
  start(): Promise<Ending>;
  /** It is not started. Resolves when it is settled. */
  inherit(inheritance: Inheritance): Promise<unknown>;
}

/**
 * The order of FIFO: members of one group are handled one after another, groups side by side. When
 * one does not finish, those that wait behind it inherit what became of it, and what comes meanwhile
 * is not started before all of them are settled, so that none is handled before it. Nothing is
 * remembered of a group that has no member in flight.
 */
export class Groups {
  readonly #waiting = new Map<string, Member[]>();

  add(group: string, member: Member): void {
    const waiting = this.#waiting.get(group);
    if (waiting === undefined) void this.#run(group, member);
    else waiting.push(member);
  }

  /** None of those that wait is started. */
  drain(inheritance: Inheritance): void {
    for (const waiting of this.#waiting.values()) void passOn(inheritance, waiting);
  }

  async #run(group: string, first: Member): Promise<void> {
    const waiting: Member[] = [];
    this.#waiting.set(group, waiting);
    for (let member: Member | undefined = first; member !== undefined; member = waiting.shift()) {
      const { inheritance, settled } = await member.start();
      if (inheritance !== null) await Promise.all([settled, passOn(inheritance, waiting)]);
    }
    this.#waiting.delete(group);
  }
}

async function passOn(inheritance: Inheritance, waiting: Member[]): Promise<void> {
  await Promise.all(waiting.splice(0).map((member) => member.inherit(inheritance)));
}
