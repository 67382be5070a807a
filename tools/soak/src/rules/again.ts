import { deliveryKey, type Evidence, messageKey, type Run } from "../evidence.js";
import type { Message } from "../history.js";
import { type Deletion, type Timeline, timelineOf } from "../timeline.js";
import type { Violation } from "../verdict.js";

/** Between a check of the library and the first line of its handler. */
const SLACK_MS = 250;

/**
 * No message was handled after its delete was confirmed, unless its visibility had lapsed before; no
 * delivery was handled twice; none was started after its consumer knew that it had lapsed, or while it
 * tried to delete the message.
 */
export function* handledAgain({
  messages,
  runs: allRuns,
  received,
  failedDeletes,
}: Evidence): Generator<Violation> {
  for (const message of messages.values()) {
    const { id } = message;
    const timeline = timelineOf(message);
    for (const [{ count }, { end }] of timeline.stays) {
      if (end !== "early") continue;
      const text = `delivery ${count} was followed by another before its timeout: SQS is wrong`;
      yield { rule: "server", id, text };
    }
    const runs = allRuns.get(id) ?? [];
    const counts = new Set<number>();
    for (const run of runs) {
      if (counts.has(run.count)) {
        yield { rule: "handledTwice", id, text: `delivery ${run.count} was handled twice` };
      }
      counts.add(run.count);
      const lapsedAt = knownLapseOf(message, run, received);
      if (run.startedAt > lapsedAt + SLACK_MS) {
        const text = `delivery ${run.count} was started at ${run.startedAt}, and had lapsed at ${lapsedAt}`;
        yield { rule: "startedLapsed", id, text };
      }
      if (wasFinished(run, runs, message, failedDeletes)) {
        const text = `delivery ${run.count} was started at ${run.startedAt}, when its consumer had handled it and not yet deleted it`;
        yield { rule: "handledFinished", id, text };
      }
      for (const deletion of timeline.deletions) {
        const text = whyWrong(run, deletion, message, timeline, received);
        if (text !== undefined) yield { rule: "handledAfterDelete", id, text };
      }
    }
  }
}

/** Why a run after a delete is no duplicate that SQS may make. */
function whyWrong(
  run: Run,
  { settle, isLapsed }: Deletion,
  { id, deliveries }: Message,
  { stays }: Timeline,
  received: ReadonlyMap<string, number>,
): string | undefined {
  const { confirmedAt, at, delivery: deleted, client } = settle;
  if (confirmedAt === undefined || at === undefined || run.startedAt <= confirmedAt)
    return undefined;
  const delivery = deliveries.find(({ count }) => count === run.count);
  if (delivery === undefined) return undefined;
  const what = `delivery ${run.count} was started ${(run.startedAt - confirmedAt).toFixed(0)} ms after the confirmed delete of delivery ${deleted.count}`;
  if (delivery === deleted) return what;
  if (delivery.at > at) return isLapsed ? undefined : `${what}, which had not lapsed`;
  const receivedAt = received.get(deliveryKey(run.client, id, run.count));
  if (run.client === client && receivedAt !== undefined && receivedAt < confirmedAt) {
    return `${what}, by the consumer that had deleted it and held it all the time`;
  }
  if (isLapsed || stays.get(delivery)?.end === "lapsed") return undefined;
  return `${what}; neither had lapsed`;
}

/**
 * Whether the run's consumer had handled the message, and neither knew it deleted nor had given that
 * up.
 */
function wasFinished(
  { client, startedAt }: Run,
  runs: readonly Run[],
  { id, settles }: Message,
  failedDeletes: ReadonlyMap<string, readonly number[]>,
): boolean {
  const before = runs.filter(
    (one) => one.client === client && (one.endedAt ?? startedAt) < startedAt,
  );
  const finishedAt = before.findLast((one) => one.isSuccess && !one.isAbandoned)?.endedAt;
  if (finishedAt === undefined) return false;
  const isBetween = (time: number | undefined) =>
    time !== undefined && time >= finishedAt && time <= startedAt;
  const failed = failedDeletes.get(messageKey(client, id)) ?? [];
  return !(
    failed.some(isBetween) ||
    settles.some(({ client: by, seconds, confirmedAt }) => {
      return by === client && seconds === undefined && isBetween(confirmedAt);
    })
  );
}

/** When the consumer of a run could tell that the message had become visible to others. */
function knownLapseOf(
  { id, deliveries, settles }: Message,
  { client, count }: Run,
  received: ReadonlyMap<string, number>,
): number {
  const delivery = deliveries.find((one) => one.count === count);
  const receivedAt = received.get(deliveryKey(client, id, count));
  if (delivery === undefined || receivedAt === undefined) return Number.POSITIVE_INFINITY;
  const { timeoutMs } = delivery;
  const renewals = settles.flatMap(({ client: by, seconds, at }) =>
    by === client && at !== undefined && seconds === timeoutMs / 1000 ? [at] : [],
  );
  return Math.max(receivedAt, ...renewals) + timeoutMs;
}
