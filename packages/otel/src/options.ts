import type { Warning } from "@babelqueue/core";
import type { MeterProvider, TextMapPropagator, TracerProvider } from "@opentelemetry/api";

export interface OtelOptions {
  /** Makes the spans. Default: the globally registered one, whenever it is registered. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Makes the metrics. Default: the globally registered one, whenever it is registered. */
  readonly meterProvider?: MeterProvider | undefined;
  /** Writes and reads the trace headers. Default: the globally registered one. */
  readonly propagator?: TextMapPropagator | undefined;
  /**
   * Messages that carry no trace context get the parent that every SDK derives from their
   * `trace_id` (docs/wire-contract.md §5). That parent counts as sampled, so a parent-based sampler keeps all
   * such traces; `false` starts a trace of its own for each of them, and leaves the decision to your
   * sampler. Default `true`.
   */
  readonly parentFromTraceId?: boolean | undefined;
  /**
   * Told once of each kind of header that had no room, and of each way in which tracing itself
   * failed. Default: a process warning.
   */
  readonly onWarning?: ((warning: Warning) => unknown) | undefined;
}
