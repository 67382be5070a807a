import { deliveryKey } from "../evidence.mjs";
import { timelineOf } from "../timeline.mjs";

/**
 * @typedef {import("../evidence.mjs").Evidence} Evidence
 * @typedef {import("../verdict.mjs").Violation} Violation
 */

/**
 * Nothing crashed or hung, and nothing is left in the queues.
 *
 * @param {Evidence} evidence
 * @returns {Generator<Violation>}
 */
export function* ends({ instances, reports, depth, failures }) {
  for (const { client, end, detail } of instances) {
    if (end === "crashed" || end === "hung") yield { rule: end, id: client, text: detail };
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
export function* stoppedClean({ messages, runs: allRuns, received, instances, copies }) {
  const stopped = new Map(
    instances.flatMap(({ client, end, stoppedAt }) =>
      end === "stopped" && stoppedAt !== undefined ? [[client, stoppedAt]] : [],
    ),
  );
  for (const message of messages.values()) {
    const { id, envelope, queue, deliveries, settles } = message;
    const runs = allRuns.get(id) ?? [];
    for (const delivery of deliveries) {
      const { client, count } = delivery;
      const stoppedAt = stopped.get(client);
      if (stoppedAt === undefined || !received.has(deliveryKey(client, id, count))) continue;
      const run = runs.find((one) => one.client === client && one.count === count);
      const tried = settles.filter(
        (settle) => settle.client === client && settle.sentAt >= (run?.endedAt ?? delivery.at),
      );
      if (run === undefined) {
        // what has no handler is left where it cannot be dead-lettered; and what follows one that is
        // left, in a FIFO group, is left too
        const isLeft = copies.has(envelope ?? "") || queue.endsWith(".fifo");
        if (isLeft || tried.length > 0) continue;
        const { visibleAt = 0 } = timelineOf(message).stays.get(delivery) ?? {};
        if (visibleAt < stoppedAt) continue;
        const text = `${client} had stopped, and neither handled nor released delivery ${count}`;
        yield { rule: "keptByStop", id, text };
      } else if (
        run.isSuccess &&
        !run.isAbandoned &&
        (run.endedAt ?? Number.POSITIVE_INFINITY) < stoppedAt
      ) {
        if (tried.some(({ seconds }) => seconds === undefined)) continue;
        const text = `${client} had stopped, and not tried to delete delivery ${count}, which it had handled`;
        yield { rule: "unflushed", id, text };
      }
    }
  }
}
