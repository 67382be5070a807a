import type { SendResult } from "@babelqueue/core";
import type { Attributes, Context, Counter, Histogram, Meter } from "@opentelemetry/api";
import { errorTypeOf } from "./failure.js";
import {
  ATTR_ERROR_TYPE,
  DURATION_BOUNDARIES,
  METRIC_CONSUMED_MESSAGES,
  METRIC_OPERATION_DURATION,
  METRIC_PROCESS_DURATION,
  METRIC_SENT_MESSAGES,
} from "./semconv.js";

/** What is measured, by the names of the conventions. Durations are in seconds. */
export interface Instruments {
  readonly sent: Counter;
  readonly consumed: Counter;
  readonly operationDuration: Histogram;
  readonly processDuration: Histogram;
}

export function createInstruments(meter: Meter): Instruments {
  const messages = { unit: "{message}" };
  const duration = {
    unit: "s",
    advice: { explicitBucketBoundaries: [...DURATION_BOUNDARIES] },
  };
  return {
    sent: meter.createCounter(METRIC_SENT_MESSAGES, {
      ...messages,
      description: "Number of messages producer attempted to send to the broker.",
    }),
    consumed: meter.createCounter(METRIC_CONSUMED_MESSAGES, {
      ...messages,
      description: "Number of messages that were delivered to the application.",
    }),
    operationDuration: meter.createHistogram(METRIC_OPERATION_DURATION, {
      ...duration,
      description: "Duration of messaging operation initiated by a producer or consumer client.",
    }),
    processDuration: meter.createHistogram(METRIC_PROCESS_DURATION, {
      ...duration,
      description: "Duration of processing operation.",
    }),
  };
}

/** One send, of one message or of many: each message counts, the duration once. */
export function recordSend(
  { sent, operationDuration }: Instruments,
  attributes: Attributes,
  seconds: number,
  results: readonly SendResult[],
  within: Context,
): void {
  const counts = new Map<string | undefined, number>();
  for (const result of results) {
    const type = result.ok ? undefined : errorTypeOf(result.error);
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  for (const [type, count] of counts) sent.add(count, withError(attributes, type), within);
  const failed = [...counts.keys()].find((type) => type !== undefined);
  operationDuration.record(seconds, withError(attributes, failed), within);
}

/** The handling of one message, `failure` being what it ended with. */
export function recordProcess(
  { consumed, processDuration }: Instruments,
  attributes: Attributes,
  seconds: number,
  failure: Error | undefined,
  within: Context,
): void {
  const type = failure === undefined ? undefined : errorTypeOf(failure);
  const all = withError(attributes, type);
  consumed.add(1, all, within);
  processDuration.record(seconds, all, within);
}

function withError(attributes: Attributes, type: string | undefined): Attributes {
  return type === undefined ? attributes : { ...attributes, [ATTR_ERROR_TYPE]: type };
}
