/** What befalls the followers of a failed message: the same as the message itself. */
export type Fate =
  | { readonly kind: "release"; readonly delaySeconds: number }
  | { readonly kind: "leave" };

/** A message that is handled in its turn, or meets the fate of one before it. */
export interface Member {
  /** Handles it. Never rejects. Resolves with the fate of its followers, or null where all is well. */
  start(): Promise<Fate | null>;
  /** It is not started. */
  suffer(fate: Fate): void;
}

/**
 * The order of FIFO: members of one group are handled one after another, groups side by side. When
 * one fails, those that wait behind it meet its fate, so that none is handled before it. Nothing is
 * remembered of a group that has no member in hand.
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
    for (const waiting of this.#waiting.values()) suffer(waiting, fate);
  }

  async #run(group: string, first: Member): Promise<void> {
    const waiting: Member[] = [];
    this.#waiting.set(group, waiting);
    for (let member: Member | undefined = first; member !== undefined; member = waiting.shift()) {
      const fate = await member.start();
      if (fate !== null) suffer(waiting, fate);
    }
    this.#waiting.delete(group);
  }
}

function suffer(waiting: Member[], fate: Fate): void {
  for (const member of waiting.splice(0)) member.suffer(fate);
}
