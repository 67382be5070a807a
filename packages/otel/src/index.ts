/**
 * OpenTelemetry for BabelQueue: one trace from producer to consumer, across queues and languages.
 *
 * @packageDocumentation
 */
export type { HeaderAttribute, HeaderCarrier } from "./carrier.js";
export type { TracingConsumeMiddleware } from "./consume.js";
export { tracedPublish, traceHandler } from "./explicit.js";
export type { OtelOptions } from "./options.js";
export { otel, type Tracing } from "./otel.js";
export { extractContext, injectContext } from "./propagation.js";
export { traceIdOf, uuidOf } from "./trace-id.js";
