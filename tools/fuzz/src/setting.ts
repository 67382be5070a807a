import type { SqsConsumerOptions } from "@babelqueue/sqs";
import type { FifoGroupRule } from "fake-sqs";
import * as fc from "fast-check";

/** How a world is set up. */
export interface Setting {
  readonly isFifo: boolean;
  /** Under which reading of the documentation SQS hands out a FIFO group. */
  readonly fifoGroups: FifoGroupRule;
  readonly lapsedVisibilityChange: "refused" | "ignored";
  /** The queue's own redrive policy, into another dead-letter queue than the consumers'. */
  readonly maxReceiveCount: number | null;
  readonly hasDeadLetters: boolean;
  readonly options: SqsConsumerOptions;
}

/** What SQS, and each consumer with a heartbeat, hides a message for. */
export const VISIBILITY_SECONDS = 5;
/** The longest that a message is released for. */
const RELEASE_SECONDS = 3;
/** In this time everything hidden is visible again, and every request answered. */
export const LONG_MS = (VISIBILITY_SECONDS + RELEASE_SECONDS) * 1000;
export const SHUTDOWN_MS = 2000;

const anyOptions: fc.Arbitrary<SqsConsumerOptions> = fc
  .record(
    {
      unknownUrnStrategy: fc.constantFrom("fail", "delete", "release", "dead_letter"),
      releaseDelaySeconds: fc.constantFrom(0, 1, RELEASE_SECONDS),
      unknownUrnReleaseDelaySeconds: fc.constantFrom(1, RELEASE_SECONDS),
      waitTimeSeconds: fc.constantFrom(0, 1, 20),
      visibilityTimeoutSeconds: fc.constant(VISIBILITY_SECONDS),
      maxMessages: fc.constantFrom(1, 2, 10),
      concurrency: fc.constantFrom(1, 2, 10, 20),
      settleLingerMs: fc.constantFrom(0, 50, 1000),
      pollGraceMs: fc.constantFrom(0, 1000),
    },
    { requiredKeys: [] },
  )
  .map((options) => ({
    // at once, it would come back as fast as it is let go
    unknownUrnReleaseDelaySeconds: 1,
    shutdownTimeoutMs: SHUTDOWN_MS,
    ...options,
  }));

/** Only where the consumer knows for how long it holds a message, it can hold it longer. */
const withHeartbeat = fc
  .tuple(anyOptions, fc.boolean())
  .map(([options, heartbeat]) =>
    options.visibilityTimeoutSeconds === undefined ? options : { ...options, heartbeat },
  );

export function anySetting(isFifo: boolean): fc.Arbitrary<Setting> {
  return fc.record({
    isFifo: fc.constant(isFifo),
    fifoGroups: fc.constantFrom("leading", "locked"),
    lapsedVisibilityChange: fc.constantFrom("refused", "ignored"),
    maxReceiveCount: fc.option(fc.constantFrom(2, 5), { freq: 3 }),
    hasDeadLetters: fc.boolean(),
    options: withHeartbeat,
  });
}
