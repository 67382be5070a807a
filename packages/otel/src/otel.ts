import type { SendMiddleware } from "@babelqueue/core";
import { createConsumeMiddleware, type TracingConsumeMiddleware } from "./consume.js";
import type { OtelOptions } from "./options.js";
import { createSendMiddleware } from "./send.js";
import { createTelemetry } from "./telemetry.js";

/** One line on each side: `middleware: [tracing.send]`, `middleware: [tracing.consume]`. */
export interface Tracing {
  /** For a publisher. */
  readonly send: SendMiddleware;
  /** For a consumer, of any transport. */
  readonly consume: TracingConsumeMiddleware;
}

/**
 * Traces and measures what is sent and consumed, as OpenTelemetry's conventions for messaging have
 * it. It takes whatever SDK is registered, at any time; while there is none it does nothing, at next
 * to no cost. Where tracing fails, the message goes on without it.
 */
export function otel(options: OtelOptions = {}): Tracing {
  const telemetry = createTelemetry(options);
  return {
    send: createSendMiddleware(telemetry),
    consume: createConsumeMiddleware(telemetry, options.parentFromTraceId ?? true),
  };
}
