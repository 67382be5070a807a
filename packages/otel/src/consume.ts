import type { Delivery, Envelope, Outcome, Received, Route } from "@babelqueue/core";
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { envelopeAttributes } from "./envelope-attributes.js";
import { asError, fail } from "./failure.js";
import { type Instruments, recordProcess } from "./metrics.js";
import { type Extraction, extract } from "./propagation.js";
import { ATTR_MESSAGE_ID, operationAttributes } from "./semconv.js";
import { createNoopTracer, type Telemetry } from "./telemetry.js";

/** Serves any transport. */
export type TracingConsumeMiddleware = <T>(next: Route<T>) => Route<T>;

/**
 * Puts a span `process {queue}` around the handling of each message, a child of the span that the
 * message was sent in. Messages that are refused get one too, with the error and no envelope.
 */
export function createConsumeMiddleware(
  telemetry: Telemetry,
  parentFromTraceId: boolean,
): TracingConsumeMiddleware {
  const noop = createNoopTracer();
  const begin = (received: Received, tracer: Tracer): Processing => {
    const { delivery, envelope } = received;
    const traceId = parentFromTraceId ? envelope?.trace_id : undefined;
    const extraction = extract(delivery.headers, traceId, telemetry.propagator);
    return startProcessing(tracer, delivery, envelope, extraction);
  };
  return (next) => (received) => {
    const tracer = telemetry.tracer();
    const instruments = telemetry.instruments();
    if (!tracer && !instruments) return next(received);
    const processing = telemetry.attempt(() => begin(received, tracer ?? noop));
    return processing === undefined
      ? next(received)
      : run(processing, () => next(received), instruments, telemetry);
  };
}

/** A message being handled. */
export interface Processing {
  readonly span: Span;
  /** Of the operation, without those of the message. */
  readonly attributes: Attributes;
  /** What it is handled in. */
  readonly within: Context;
  readonly startedAt: number;
}

/** Starts the span of one message. */
export function startProcessing(
  tracer: Tracer,
  { system, queue, messageId }: Pick<Delivery, "system" | "queue" | "messageId">,
  envelope: Envelope<unknown> | null,
  { parent, producer }: Extraction,
): Processing {
  const startedAt = performance.now();
  const attributes = operationAttributes("process", system, queue);
  const ofMessage: Attributes = {
    ...attributes,
    ...(envelope === null ? undefined : envelopeAttributes(envelope)),
  };
  if (messageId !== undefined) ofMessage[ATTR_MESSAGE_ID] = messageId;
  const options = {
    kind: SpanKind.CONSUMER,
    attributes: ofMessage,
    links: linksTo(producer, trace.getSpanContext(context.active())),
  };
  const span = tracer.startSpan(`process ${queue}`, options, parent);
  return { span, attributes, within: trace.setSpan(parent, span), startedAt };
}

/** To the producer, as the conventions want it besides the parent, and to what surrounds us. */
function linksTo(producer: SpanContext | undefined, ambient: SpanContext | undefined): Link[] {
  const links: Link[] = [];
  if (producer !== undefined) links.push({ context: producer });
  if (ambient !== undefined && isSpanContextValid(ambient)) links.push({ context: ambient });
  return links;
}

async function run(
  processing: Processing,
  next: () => Promise<Outcome>,
  instruments: Instruments | undefined,
  telemetry: Telemetry,
): Promise<Outcome> {
  const finish = (failure: Error | undefined): void => {
    telemetry.attempt(() => end(processing, failure, instruments));
  };
  let outcome: Outcome;
  try {
    outcome = await context.with(processing.within, next);
  } catch (thrown) {
    finish(asError(thrown));
    throw thrown;
  }
  finish(outcome.kind === "ack" ? undefined : outcome.error);
  return outcome;
}

function end(
  { span, attributes, within, startedAt }: Processing,
  failure: Error | undefined,
  instruments: Instruments | undefined,
): void {
  const seconds = (performance.now() - startedAt) / 1000;
  if (failure !== undefined) fail(span, failure);
  span.end();
  if (instruments !== undefined) recordProcess(instruments, attributes, seconds, failure, within);
}
