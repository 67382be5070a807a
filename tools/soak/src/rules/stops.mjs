import { deliveryKey } from "../evidence.mjs";
import { sequenceOf } from "../history.mjs";
import { timelineOf } from "../timeline.mjs";

/**
 * @typedef {import("../evidence.mjs").Evidence} Evidence
 * @typedef {import("../history.mjs").Delivery} Delivery
 * @typedef {import("../verdict.mjs").Violation} Violation
 */

/**
 * Nothing crashed or hung, and nothing is left in the queues.
 *
 * @param {Evidence} evidence
 * @returns {Generator<Violation>}
 */
export function* ends({ instances, reports, depth, failures }) {
  for (const { client, end, detail, stoppedAt } of instances) {
    if (end === "crashed" || end === "hung") yield { rule: end, id: client, text: detail };
    if (end === "stopped" && stoppedAt === undefined) {
      yield { rule: "crashed", id: client, text: "it ended before its stop had resolved" };
    }
  }
  const leaks = reports["MaxListenersExceededWarning"] ?? 0;
  if (leaks > 0) yield { rule: "leak", id: "-", text: `${leaks} × MaxListenersExceededWarning` };
  if (depth > 0) yield { rule: "left", id: "-", text: `${depth} messages are left in the queues` };
  for (const text of failures) yield { rule: "soak", id: "-", text };
}

/**
 * A consumer that stopped had tried to delete all that it had finished, and to release all that it
 * held and had not started; what it could not wait for it reported.
 *
 * @param {Evidence} evidence
 * @returns {Generator<Violation>}
 */
export function* stoppedClean(evidence) {
  const stopped = new Map(
    evidence.instances.flatMap(({ client, end, stoppedAt }) =>
      end === "stopped" && stoppedAt !== undefined ? [[client, stoppedAt]] : [],
    ),
  );
  /** @type {Delivery[]} */
  const kept = [];
  /** The first message of a group that a consumer left, as it may: those behind it are left too. */
  /** @type {Map<string, string>} */
  const left = new Map();
  for (const message of evidence.messages.values()) {
    const { id, deliveries } = message;
    for (const delivery of deliveries) {
      const { client, count } = delivery;
      const stoppedAt = stopped.get(client);
      if (stoppedAt === undefined || !evidence.received.has(deliveryKey(client, id, count)))
        continue;
      switch (fateOf(delivery, evidence, stoppedAt)) {
        case "kept":
          kept.push(delivery);
          break;
        case "left": {
          const key = groupKey(delivery);
          const first = left.get(key);
          const sequence = sequenceOf(message);
          if (first === undefined || sequence < first) left.set(key, sequence);
          break;
        }
        case "unflushed": {
          const text = `${client} had stopped, and not tried to delete delivery ${count}, which it had handled`;
          yield { rule: "unflushed", id, text };
          break;
        }
        case "settled":
      }
    }
  }
  for (const delivery of kept) {
    const { message, client, count } = delivery;
    const isFifo = message.group !== undefined;
    if (isFifo && (left.get(groupKey(delivery)) ?? "~") < sequenceOf(message)) continue;
    const text = `${client} had stopped, and neither handled nor released delivery ${count}`;
    yield { rule: "keptByStop", id: message.id, text };
  }
}

/** @param {Delivery} delivery */
function groupKey({ message, client }) {
  return `${client} ${message.group}`;
}

/**
 * What a consumer that stopped did with a delivery.
 *
 * @param {Delivery} delivery
 * @param {Evidence} evidence
 * @param {number} stoppedAt
 * @returns {"settled" | "left" | "kept" | "unflushed"}
 */
function fateOf(delivery, { runs, copies }, stoppedAt) {
  const { message, client, count, at } = delivery;
  const run = runs.get(message.id)?.find((one) => one.client === client && one.count === count);
  const since = run?.endedAt ?? at;
  const tried = message.settles.filter(
    (settle) => settle.client === client && settle.sentAt >= since && settle.sentAt <= stoppedAt,
  );
  if (run === undefined) {
    if (tried.some(({ seconds }) => (seconds ?? 0) * 1000 < delivery.timeoutMs)) return "settled";
    // what has no handler is left where it could not be dead-lettered
    if (copies.has(message.envelope ?? "")) return "left";
    const { visibleAt = 0 } = timelineOf(message).stays.get(delivery) ?? {};
    return visibleAt < stoppedAt ? "left" : "kept";
  }
  if (!run.isSuccess || run.isAbandoned) return tried.length > 0 ? "settled" : "left";
  const isBefore = (run.endedAt ?? Number.POSITIVE_INFINITY) < stoppedAt;
  return !isBefore || tried.some(({ seconds }) => seconds === undefined) ? "settled" : "unflushed";
}
