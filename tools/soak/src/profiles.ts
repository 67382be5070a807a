import type { SqsConsumerOptions } from "@babelqueue/sqs";

/**
 * How the consumer in a slot is set up: each another way, so that short and long timeouts, the SDK's
 * retries and none, a heartbeat and none meet on the same queues.
 */
interface Profile {
  maxAttempts: number;
  options: SqsConsumerOptions;
}

const PROFILES: readonly Profile[] = [
  {
    maxAttempts: 3,
    options: {
      waitTimeSeconds: 1,
      visibilityTimeoutSeconds: 2,
      heartbeat: true,
      concurrency: 50,
      pollGraceMs: 300,
      shutdownTimeoutMs: 4000,
    },
  },
  {
    maxAttempts: 1,
    options: {
      waitTimeSeconds: 1,
      visibilityTimeoutSeconds: 3,
      heartbeat: true,
      concurrency: 40,
      settleLingerMs: 0,
      pollGraceMs: 1000,
      shutdownTimeoutMs: 500,
      releaseDelaySeconds: (attempts) => (attempts === 1 ? 1 : 0),
    },
  },
  {
    maxAttempts: 2,
    options: {
      waitTimeSeconds: 1,
      visibilityTimeoutSeconds: 4,
      concurrency: 25,
      maxMessages: 7,
      pollGraceMs: 0,
      shutdownTimeoutMs: 2000,
    },
  },
];

export function profileOf(slot: number): Profile {
  const profile = PROFILES[slot % PROFILES.length];
  if (profile === undefined) throw new RangeError(`No slot ${slot}`);
  return profile;
}
