import type { Evidence, Publication } from "../evidence.js";
import { type Message, sequenceOf } from "../history.js";
import type { Violation } from "../verdict.js";

/** The messages of each FIFO group in the order that SQS gave them. */
function groupsOf({ messages }: Evidence): Map<string, Message[]> {
  const groups = new Map<string, Message[]>();
  for (const message of messages.values()) {
    if (!message.queue.endsWith(".fifo") || message.sequence === undefined) continue;
    const group = groups.get(message.group ?? "");
    if (group === undefined) groups.set(message.group ?? "", [message]);
    else group.push(message);
  }
  for (const group of groups.values())
    group.sort((a, b) => (sequenceOf(a) < sequenceOf(b) ? -1 : 1));
  return groups;
}

/**
 * In a FIFO group no handler is started before each earlier message was settled: handled, copied to
 * the dead-letter queue, or moved there by redrive. So the first successes come in order.
 */
export function* consumeOrder(evidence: Evidence): Generator<Violation> {
  const { runs, copies, deadLetters } = evidence;
  for (const [name, group] of groupsOf(evidence)) {
    /** When the last of the earlier messages was settled. */
    let settledAt = Number.NEGATIVE_INFINITY;
    let settledBy = "";
    /** The earlier ones that redrive moved, after their last delivery. */
    const moved: { id: string; handledAt: number; deliveredAt: number }[] = [];
    for (const message of group) {
      const { id, envelope, deliveries } = message;
      const handlings = runs.get(id) ?? [];
      for (const { startedAt, count } of handlings) {
        const at = deliveries.find((delivery) => delivery.count === count)?.at ?? startedAt;
        const before = moved.find(
          ({ handledAt, deliveredAt }) => startedAt < handledAt && at <= deliveredAt,
        );
        if (startedAt >= settledAt && before === undefined) continue;
        const text = `delivery ${count} was started at ${startedAt} in ${name}, before ${before?.id ?? settledBy} was settled`;
        yield { rule: "consumeOrder", id, text };
      }
      const handledAt = Math.min(
        copies.get(envelope ?? "") ?? Number.POSITIVE_INFINITY,
        ...handlings.map(({ isSuccess, endedAt = Number.POSITIVE_INFINITY }) =>
          isSuccess ? endedAt : Number.POSITIVE_INFINITY,
        ),
      );
      if (deadLetters.messages.has(id)) {
        moved.push({ id, handledAt, deliveredAt: Math.max(...deliveries.map((one) => one.at)) });
        continue;
      }
      if (handledAt <= settledAt) continue;
      settledAt = handledAt;
      settledBy = id;
    }
  }
}

/**
 * Within a group SQS took the messages in the order of the calls: one whose confirmed call came
 * before the first call of another lies before it.
 */
export function* publishOrder({ messages, publications }: Evidence): Generator<Violation> {
  const byEnvelope = new Map<string, Message>();
  for (const message of messages.values()) {
    if (message.sequence !== undefined) byEnvelope.set(message.envelope ?? "", message);
  }
  for (const producer of publications) {
    const groups = new Map<string, Publication[]>();
    for (const publication of producer) {
      const { group } = publication;
      if (group === undefined) continue;
      const known = groups.get(group);
      if (known === undefined) groups.set(group, [publication]);
      else known.push(publication);
    }
    for (const [name, group] of groups) {
      const byFirst = [...group].sort((a, b) => a.firstCall - b.firstCall);
      const byConfirmed = byFirst
        .filter(({ confirmedCall }) => confirmedCall !== undefined)
        .sort((a, b) => (a.confirmedCall ?? 0) - (b.confirmedCall ?? 0));
      let next = 0;
      let last = "";
      let lastCall = 0;
      for (const { envelope, firstCall } of byFirst) {
        for (; (byConfirmed[next]?.confirmedCall ?? firstCall) < firstCall; next += 1) {
          const earlier = byEnvelope.get(byConfirmed[next]?.envelope ?? "");
          if (earlier === undefined || sequenceOf(earlier) < last) continue;
          last = sequenceOf(earlier);
          lastCall = byConfirmed[next]?.confirmedCall ?? 0;
        }
        const message = byEnvelope.get(envelope);
        if (message === undefined || sequenceOf(message) > last) continue;
        const text = `call ${firstCall} in ${name}: SQS took it before that of call ${lastCall}, which was confirmed`;
        yield { rule: "publishOrder", id: message.id, text };
      }
    }
  }
}
