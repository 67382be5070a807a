import { deliveryKey, type Evidence } from "../evidence.js";
import { type Delivery, sequenceOf } from "../history.js";
import { timelineOf } from "../timeline.js";
import type { Violation } from "../verdict.js";

/** Nothing crashed or hung, and nothing is left in the queues. */
export function* ends({ instances, reports, depth, failures }: Evidence): Generator<Violation> {
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
 */
export function* stoppedClean(evidence: Evidence): Generator<Violation> {
  const stopped = new Map(
    evidence.instances.flatMap(({ client, end, stoppedAt }) =>
      end === "stopped" && stoppedAt !== undefined ? [[client, stoppedAt]] : [],
    ),
  );
  const kept: Delivery[] = [];
  /** The first message of a group that a consumer left, as it may: those behind it are left too. */
  const left = new Map<string, string>();
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
    // of the message itself, another delivery was left
    if (isFifo && (left.get(groupKey(delivery)) ?? "~") <= sequenceOf(message)) continue;
    const text = `${client} had stopped, and neither handled nor released delivery ${count}`;
    yield { rule: "keptByStop", id: message.id, text };
  }
}

function groupKey({ message, client }: Delivery): string {
  return `${client} ${message.group}`;
}

/** What a consumer that stopped did with a delivery. */
function fateOf(
  delivery: Delivery,
  { runs, copies }: Evidence,
  stoppedAt: number,
): "settled" | "left" | "kept" | "unflushed" {
  const { message, client, count, at } = delivery;
  const run = runs.get(message.id)?.find((one) => one.client === client && one.count === count);
  const since = run?.endedAt ?? at;
  const tried = message.settles.filter(
    (settle) => settle.client === client && settle.sentAt >= since && settle.sentAt <= stoppedAt,
  );
  if (run === undefined) {
    const { visibleAt = 0 } = timelineOf(message).stays.get(delivery) ?? {};
    // what came once it had lapsed may be for a later delivery
    const isSettled = tried.some(
      ({ seconds, sentAt }) => sentAt <= visibleAt && (seconds ?? 0) * 1000 < delivery.timeoutMs,
    );
    if (isSettled) return "settled";
    // what has no handler is left where it could not be dead-lettered
    if (copies.has(message.envelope ?? "")) return "left";
    return visibleAt < stoppedAt ? "left" : "kept";
  }
  if (!run.isSuccess || run.isAbandoned) return tried.length > 0 ? "settled" : "left";
  const isBefore = (run.endedAt ?? Number.POSITIVE_INFINITY) < stoppedAt;
  return !isBefore || tried.some(({ seconds }) => seconds === undefined) ? "settled" : "unflushed";
}
