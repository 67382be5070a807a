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

export type Counters = {
  -readonly [K in keyof Omit<SqsConsumerStats, "inFlight">]: SqsConsumerStats[K];
};

export function newCounters(): Counters {
  return {
    received: 0,
    handled: 0,
    released: 0,
    left: 0,
    deadLettered: 0,
    dropped: 0,
    failedDeletes: 0,
    lastReceiveAt: undefined,
  };
}
