import type { Outbound, Send, SendMiddleware, SendResult } from "@babelqueue/core";
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { envelopeAttributes } from "./envelope-attributes.js";
import { asError, fail } from "./failure.js";
import { type Instruments, recordSend } from "./metrics.js";
import { inject } from "./propagation.js";
import { ATTR_BATCH_MESSAGE_COUNT, ATTR_MESSAGE_ID, operationAttributes } from "./semconv.js";
import { createNoopTracer, type Telemetry } from "./telemetry.js";
import { uuidOf } from "./trace-id.js";

/**
 * Puts a span around each send, and its context into each message. A message that is sent alone
 * carries that of the span `send {queue}`; one of many has a span `create {queue}` of its own, to
 * which the send links.
 */
export function createSendMiddleware(telemetry: Telemetry): SendMiddleware {
  const noop = createNoopTracer();
  return (next) => (batch) => {
    const [first] = batch;
    const tracer = telemetry.tracer();
    const instruments = telemetry.instruments();
    // with no SDK there is no context manager, and without that no context but the root
    const isIdle = !tracer && !instruments && context.active() === ROOT_CONTEXT;
    if (isIdle || first === undefined) return next(batch);
    const sending = telemetry.attempt(() => start(batch, first, tracer ?? noop, telemetry));
    return sending === undefined ? next(batch) : run(sending, next, instruments, telemetry);
  };
}

/** A send under way. */
interface Sending {
  /** The messages, each with its context. */
  readonly batch: readonly Outbound[];
  /** One a message, in their order. */
  readonly spans: readonly Span[];
  /** The span of the send: that of the message, where there is but one. */
  readonly operation: Span;
  readonly attributes: Attributes;
  readonly within: Context;
  readonly startedAt: number;
}

function start(
  batch: readonly Outbound[],
  first: Outbound,
  tracer: Tracer,
  telemetry: Telemetry,
): Sending {
  const ambient = context.active();
  const startedAt = performance.now();
  const isBatch = batch.length > 1;
  const spans = batch.map((outbound) =>
    startProducerSpan(tracer, isBatch ? "create" : "send", outbound, ambient),
  );
  const attributes = operationAttributes("send", first.system, first.queue);
  const [only] = spans;
  const operation =
    only === undefined || isBatch
      ? tracer.startSpan(
          `send ${first.queue}`,
          {
            kind: SpanKind.CLIENT,
            attributes: { ...attributes, [ATTR_BATCH_MESSAGE_COUNT]: batch.length },
            links: spans
              .map((span) => ({ context: span.spanContext() }))
              .filter((link) => isSpanContextValid(link.context)),
          },
          ambient,
        )
      : only;
  return {
    batch: batch.map((outbound, index) =>
      withContext(outbound, spans[index] ?? operation, ambient, telemetry),
    ),
    spans,
    operation,
    attributes,
    within: trace.setSpan(ambient, operation),
    startedAt,
  };
}

/** The span whose context a message carries. */
export function startProducerSpan(
  tracer: Tracer,
  operation: "create" | "send",
  { system, queue }: Pick<Outbound, "system" | "queue">,
  ambient: Context,
): Span {
  const attributes = operationAttributes(operation, system, queue);
  const options = { kind: SpanKind.PRODUCER, attributes };
  return tracer.startSpan(`${operation} ${queue}`, options, ambient);
}

/**
 * The message with the span's context in its headers, and with its trace id for `trace_id` where the
 * caller gave none (docs/wire-contract.md §5). A spread copy, as transports keep what is theirs on it.
 */
function withContext(
  outbound: Outbound,
  span: Span,
  ambient: Context,
  telemetry: Telemetry,
): Outbound {
  const envelope = outbound.traceIdGiven ? outbound.envelope : stamped(outbound.envelope, span);
  if (span.isRecording()) span.setAttributes(envelopeAttributes(envelope));
  const injection = telemetry.attempt(() =>
    inject(
      outbound.headers,
      trace.setSpan(ambient, span),
      telemetry.propagator,
      outbound.headerLimit,
    ),
  );
  if (injection === undefined) return { ...outbound, envelope };
  warnOfLeftOut(injection.leftOut, outbound, telemetry);
  return { ...outbound, envelope, headers: injection.headers };
}

/** An invalid span context is all zeros, as it is without an SDK, and that names no trace. */
export function stamped<T extends { readonly trace_id: string }>(envelope: T, span: Span): T {
  const spanContext = span.spanContext();
  if (!isSpanContextValid(spanContext)) return envelope;
  return { ...envelope, trace_id: uuidOf(spanContext.traceId) };
}

function warnOfLeftOut(leftOut: readonly string[], outbound: Outbound, telemetry: Telemetry): void {
  if (leftOut.length === 0) return;
  const header = leftOut.join(", ");
  const message =
    `Left ${header} out of messages for ${outbound.queue}: ${outbound.system} has room for ` +
    `${outbound.headerLimit} headers. Send fewer of your own, or use a propagator that writes fewer.`;
  telemetry.warn({ code: "header_left_out", message, header });
}

async function run(
  sending: Sending,
  next: Send,
  instruments: Instruments | undefined,
  telemetry: Telemetry,
): Promise<readonly SendResult[]> {
  const finish = (results: readonly SendResult[]): void => {
    telemetry.attempt(() => end(sending, results, instruments));
  };
  let results: readonly SendResult[];
  try {
    results = await context.with(sending.within, () => next(sending.batch));
  } catch (thrown) {
    const error = asError(thrown);
    finish(sending.batch.map(() => ({ ok: false, error })));
    throw thrown;
  }
  finish(results);
  return results;
}

function end(
  { spans, operation, attributes, within, startedAt }: Sending,
  results: readonly SendResult[],
  instruments: Instruments | undefined,
): void {
  const seconds = (performance.now() - startedAt) / 1000;
  let failure: Error | undefined;
  results.forEach((result, index) => {
    const span = spans[index];
    if (!result.ok) {
      failure ??= result.error;
      if (span !== undefined) fail(span, result.error);
    } else if (result.messageId !== undefined) {
      span?.setAttribute(ATTR_MESSAGE_ID, result.messageId);
    }
  });
  for (const span of spans) span.end();
  if (!spans.includes(operation)) {
    if (failure !== undefined) fail(operation, failure);
    operation.end();
  }
  if (instruments !== undefined) recordSend(instruments, attributes, seconds, results, within);
}
