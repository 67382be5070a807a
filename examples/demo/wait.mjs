import { setTimeout as sleep } from "node:timers/promises";

/**
 * Resolves with whether it came true in time.
 *
 * @param {() => boolean} isTrue
 */
export async function comesTrue(isTrue, timeoutMs = 30_000) {
  const giveUpAt = Date.now() + timeoutMs;
  while (!isTrue() && Date.now() < giveUpAt) await sleep(10);
  return isTrue();
}

/**
 * Runs a consumer until the work is done. Rejects if either fails.
 *
 * @param {import("@babelqueue/sqs").SqsConsumer} consumer
 * @param {() => Promise<unknown>} work
 */
export async function consumeDuring(consumer, work) {
  const workThenStop = async () => {
    try {
      await work();
    } finally {
      await consumer.stop();
    }
  };
  await Promise.all([consumer.run(), workThenStop()]);
}
