import type { Settled } from "../delivery/settled.js";

/** What a consumer has done since it was made; for a health endpoint. */
export interface SqsConsumerStats {
  readonly received: number;
  /** Their handler succeeded. */
  readonly handled: number;
  readonly released: number;
  /** Neither deleted nor released: they come back when their visibility timeout lapses. */
  readonly left: number;
  /** Written to the dead-letter queue. */
  readonly deadLettered: number;
  /** Deleted unhandled, by an unknown-URN strategy or hook. */
  readonly dropped: number;
  readonly failedDeletes: number;
  /** Received and not finished: waiting for their turn or with a handler running. */
  readonly inFlight: number;
  /** When SQS last answered a receive, Unix ms; undefined before. A loop that hangs shows here. */
  readonly lastReceiveAt: number | undefined;
}

/** What is counted as messages are settled. */
export type Counters = {
  -readonly [K in keyof Omit<
    SqsConsumerStats,
    "received" | "inFlight" | "lastReceiveAt"
  >]: SqsConsumerStats[K];
};

export function newCounters(): Counters {
  return { handled: 0, released: 0, left: 0, deadLettered: 0, dropped: 0, failedDeletes: 0 };
}

export function count(counters: Counters, settled: Settled): void {
  switch (settled.kind) {
    case "repeated":
      break;
    case "handled":
    case "dropped":
    case "deadLettered":
    case "released":
    case "left":
      counters[settled.kind] += 1;
  }
  if ("isDeleted" in settled && !settled.isDeleted) counters.failedDeletes += 1;
}
