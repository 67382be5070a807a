import {
  ConsoleSpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";

/** @typedef {import("@opentelemetry/sdk-trace-node").ReadableSpan} ReadableSpan */
/** @typedef {import("@opentelemetry/sdk-trace-node").SpanProcessor} SpanProcessor */

/**
 * A span as the tree needs it.
 *
 * @typedef Span
 * @property {string} service the process that made it
 * @property {string} name
 * @property {string} traceId
 * @property {string} spanId
 * @property {string | undefined} parentId
 * @property {number} startMs since the epoch
 * @property {number} durationMs
 * @property {string | undefined} error its `error.type`
 */

/**
 * Starts OpenTelemetry's SDK, before anything is sent or received. A service of yours exports to a
 * collector (`OTLPTraceExporter`); this one hands its spans to the process that started it.
 *
 * @param {string} service
 */
export function startTelemetry(service) {
  const processor =
    process.send === undefined
      ? new SimpleSpanProcessor(new ConsoleSpanExporter())
      : toParent(service);
  new NodeTracerProvider({ spanProcessors: [processor] }).register();
}

/**
 * @param {string} service
 * @returns {SpanProcessor}
 */
function toParent(service) {
  return {
    onStart: () => undefined,
    onEnd: (span) => void process.send?.(toSpan(service, span)),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
}

/**
 * @param {string} service
 * @param {ReadableSpan} span
 * @returns {Span}
 */
function toSpan(service, span) {
  const { name, parentSpanContext, startTime, duration, attributes } = span;
  const { traceId, spanId } = span.spanContext();
  return {
    service,
    name,
    traceId,
    spanId,
    parentId: parentSpanContext?.spanId,
    startMs: startTime[0] * 1000 + startTime[1] / 1e6,
    durationMs: duration[0] * 1000 + duration[1] / 1e6,
    error: attributes["error.type"]?.toString(),
  };
}
