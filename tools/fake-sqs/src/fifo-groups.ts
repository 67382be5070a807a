import { isInFlight, isVisible, type StoredMessage } from "./message.js";

/**
 * What a FIFO group hands out while a message of it is in flight.
 * - `leading`: its messages in order up to the first hidden one. A leader made visible again comes
 *   back though its followers are in flight; nothing overtakes a hidden message. This is all that
 *   recordings of AWS show.
 * - `locked`: nothing while any message is in flight, the plain reading of the Developer Guide.
 * - `reopened`: as soon as any received message is visible again, every visible one, past the hidden
 *   ones: the harshest reading, under which a follower released before its leader overtakes it.
 */
export type FifoGroupRule = "leading" | "locked" | "reopened";

/**
 * The groups of a FIFO queue. A receive takes as many messages of one group as possible, in order,
 * then of the next (Developer Guide, FIFO delivery logic); groups served go to the back of the
 * line, as in recordings of AWS.
 */
export class FifoGroups {
  readonly #rule: FifoGroupRule;
  readonly #groups = new Map<string, Map<string, StoredMessage>>();

  constructor(rule: FifoGroupRule) {
    this.#rule = rule;
  }

  add(message: StoredMessage): void {
    const groupId = message.groupId ?? "";
    const group = this.#groups.get(groupId) ?? new Map<string, StoredMessage>();
    group.set(message.messageId, message);
    this.#groups.set(groupId, group);
  }

  remove(message: StoredMessage): void {
    const groupId = message.groupId ?? "";
    const group = this.#groups.get(groupId);
    group?.delete(message.messageId);
    if (group?.size === 0) this.#groups.delete(groupId);
  }

  /** What a receive may take, in the order it takes it. */
  *receivable(now: number): Generator<StoredMessage, void, undefined> {
    const line = [...this.#groups]; // as it stands now: groups move to the back meanwhile
    for (const [groupId, group] of line) {
      let served = false;
      for (const message of this.#openMessages(group, now)) {
        if (!served) this.#toTheBack(groupId, group);
        served = true;
        yield message;
      }
    }
  }

  #openMessages(group: Map<string, StoredMessage>, now: number): Iterable<StoredMessage> {
    const handedOut = received(group);
    if (this.#rule === "locked" && handedOut.some((message) => isInFlight(message, now))) return [];
    if (this.#rule === "reopened" && handedOut.some((message) => isVisible(message, now)))
      return visible(group.values(), now);
    return leading(group.values(), now);
  }

  #toTheBack(groupId: string, group: Map<string, StoredMessage>): void {
    this.#groups.delete(groupId);
    this.#groups.set(groupId, group);
  }
}

function* leading(messages: Iterable<StoredMessage>, now: number): Generator<StoredMessage> {
  for (const message of messages) {
    if (!isVisible(message, now)) return;
    yield message;
  }
}

function* visible(messages: Iterable<StoredMessage>, now: number): Generator<StoredMessage> {
  for (const message of messages) {
    if (isVisible(message, now)) yield message;
  }
}

/** The received messages: handed out in order, they are a group's first. */
function received(group: Map<string, StoredMessage>): StoredMessage[] {
  const messages: StoredMessage[] = [];
  for (const message of group.values()) {
    if (message.receive === undefined) break;
    messages.push(message);
  }
  return messages;
}
