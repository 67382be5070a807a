import type { Delivery, Message, Settle } from "./history.js";

/** A delivery, and how it ended. */
interface Stay {
  delivery: Delivery;
  /** When its visibility timeout lapses. */
  visibleAt: number;
  /** When its consumer made it visible. */
  releasedAt: number | undefined;
  /** Why it was delivered again; `early` is the server's fault. */
  end: "open" | "lapsed" | "released" | "early";
}

/** A delete that SQS applied. */
export interface Deletion {
  settle: Settle;
  /** The visibility of its delivery had lapsed by then. */
  isLapsed: boolean;
}

export interface Timeline {
  stays: ReadonlyMap<Delivery, Stay>;
  deletions: readonly Deletion[];
}

/** Between the moment that SQS took as now and the one that it told. */
const TOLERANCE_MS = 30;
/** Within so much of its timeout a delivery that was followed by another had lapsed, or SQS is wrong. */
const EARLY_MS = 500;

/** What SQS did with a message, in its order. */
export function timelineOf(message: Message): Timeline {
  const stays = new Map<Delivery, Stay>();
  const deletions: Deletion[] = [];
  let current: Stay | undefined;
  for (const step of stepsOf(message)) {
    if (step.settle === undefined) {
      const { delivery } = step;
      if (current !== undefined) current.end = endOf(current, delivery.at);
      current = {
        delivery,
        visibleAt: delivery.at + delivery.timeoutMs,
        releasedAt: undefined,
        end: "open",
      };
      stays.set(delivery, current);
      continue;
    }
    const { settle, at } = step;
    const stay = stays.get(settle.delivery);
    if (stay === undefined) continue;
    if (settle.seconds === undefined) {
      const isOver = stay !== current || stay.visibleAt <= at + TOLERANCE_MS;
      const isLapsed = isOver && stay.releasedAt === undefined;
      deletions.push({ settle, isLapsed });
    } else if (stay === current) {
      change(stay, settle.seconds, at);
    }
  }
  return { stays, deletions };
}

function stepsOf({
  deliveries,
  settles,
}: Message): { at: number; delivery: Delivery; settle: Settle | undefined }[] {
  const steps: { at: number; delivery: Delivery; settle: Settle | undefined }[] = deliveries.map(
    (delivery) => ({ at: delivery.at, delivery, settle: undefined }),
  );
  for (const settle of settles) {
    if (settle.at !== undefined) steps.push({ at: settle.at, delivery: settle.delivery, settle });
  }
  // a release can be answered with a waiting receive in one go: then it came first
  return steps.sort((a, b) => a.at + lagOf(a) - b.at - lagOf(b));
}

function lagOf({ settle }: { settle: Settle | undefined }): number {
  return settle === undefined ? 0.5 : 0;
}

/** A heartbeat sets the whole timeout anew; anything shorter is a release. */
function change(stay: Stay, seconds: number, at: number): void {
  stay.visibleAt = at + seconds * 1000;
  if (seconds * 1000 < stay.delivery.timeoutMs) stay.releasedAt ??= at;
}

/** @param at when it was delivered again */
function endOf({ visibleAt, releasedAt }: Stay, at: number): Stay["end"] {
  if (at < visibleAt - EARLY_MS) return "early";
  return releasedAt === undefined ? "lapsed" : "released";
}
