import type { Message } from "@aws-sdk/client-sqs";
import { InvalidArgumentError, type SettlementOptions } from "@babelqueue/core";
import { MAX_TIMER_MS } from "../timers.js";

export interface SqsConsumerOptions extends SettlementOptions<Message> {
  /**
   * Where poison, gated and (by strategy) unknown messages go. It must exist; by convention it is
   * named `<queue>-dlq`, for FIFO `<queue>-dlq.fifo`. Default: none, the queue's own redrive policy
   * is the safety net.
   */
  readonly deadLetterQueueUrl?: string | undefined;
  /** Long polling: how long a receive waits for messages, 0 to 20 seconds. Default 20. */
  readonly waitTimeSeconds?: number | undefined;
  /** Hides received messages for so long, 0 to 43 200 seconds. Default: the queue's own. */
  readonly visibilityTimeoutSeconds?: number | undefined;
  /** The most messages of one receive, 1 to 10. Default 10. */
  readonly maxMessages?: number | undefined;
  /** The most messages in flight, and so handlers running, at a time. Default 10. */
  readonly concurrency?: number | undefined;
  /** Extends the visibility timeout while a message is in flight. Default `false`. */
  readonly heartbeat?: boolean | undefined;
  /** How long a delete or release waits for others to share its request, in ms. Default 50. */
  readonly settleLingerMs?: number | undefined;
  /** How long a stop lets an open long poll end by itself, in ms. Default 1000. */
  readonly pollGraceMs?: number | undefined;
  /** How long a stop waits for handlers before `context.signal` aborts, in ms. Default 30 000. */
  readonly shutdownTimeoutMs?: number | undefined;
}

export interface ReceiveSettings {
  readonly waitTimeSeconds: number;
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly maxMessages: number;
  readonly concurrency: number;
  readonly heartbeat: boolean;
  readonly settleLingerMs: number;
  readonly pollGraceMs: number;
  readonly shutdownTimeoutMs: number;
}

/**
 * The options with their defaults.
 *
 * @throws {@link InvalidArgumentError} for what SQS, or common sense, refuses.
 */
export function receiveSettings(options: SqsConsumerOptions): ReceiveSettings {
  const { visibilityTimeoutSeconds, heartbeat = false } = options;
  const inRange = (name: NumericOption, fallback: number, min: number, max: number): number => {
    const value = options[name] ?? fallback;
    if (!Number.isInteger(value) || value < min || value > max) {
      const expected = `expected a whole number from ${min} to ${max}`;
      throw new InvalidArgumentError(name, `${expected}, got ${String(value)}`);
    }
    return value;
  };
  if (heartbeat && !visibilityTimeoutSeconds) {
    const why = "it renews visibilityTimeoutSeconds, so that must be set, to 1 or more";
    throw new InvalidArgumentError("heartbeat", why);
  }
  return {
    waitTimeSeconds: inRange("waitTimeSeconds", 20, 0, 20),
    visibilityTimeoutSeconds:
      visibilityTimeoutSeconds === undefined
        ? undefined
        : inRange("visibilityTimeoutSeconds", 0, 0, 43_200),
    maxMessages: inRange("maxMessages", 10, 1, 10),
    concurrency: inRange("concurrency", 10, 1, 100_000),
    heartbeat,
    settleLingerMs: inRange("settleLingerMs", 50, 0, 60_000),
    pollGraceMs: inRange("pollGraceMs", 1000, 0, MAX_TIMER_MS),
    shutdownTimeoutMs: inRange("shutdownTimeoutMs", 30_000, 0, MAX_TIMER_MS),
  };
}

type NumericOption =
  | "waitTimeSeconds"
  | "visibilityTimeoutSeconds"
  | "maxMessages"
  | "concurrency"
  | "settleLingerMs"
  | "pollGraceMs"
  | "shutdownTimeoutMs";
