import { createReporter, type Warning } from "@babelqueue/core";
import {
  createNoopMeter,
  metrics,
  ProxyTracerProvider,
  propagation,
  type TextMapPropagator,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import { errorTypeOf } from "./failure.js";
import { createInstruments, type Instruments } from "./metrics.js";
import type { OtelOptions } from "./options.js";

/** Put in by the build (tsdown.config.ts); the source itself has no version. */
declare const PACKAGE_VERSION: string | undefined;

/** What made the spans and metrics: OpenTelemetry's instrumentation scope. */
const SCOPE = "@babelqueue/otel";
const VERSION = typeof PACKAGE_VERSION === "string" ? PACKAGE_VERSION : undefined;

/** Warnings that were given are remembered up to this number, and then given again. */
const MAX_REMEMBERED = 100;

/** What the two sides of one `otel()` share: where spans, metrics and warnings go. */
export interface Telemetry {
  readonly propagator: TextMapPropagator;
  /** Undefined while no SDK makes spans. */
  tracer(): Tracer | undefined;
  /** Undefined while no SDK makes metrics. */
  instruments(): Instruments | undefined;
  /** Passes a warning on, unless the same was given before. */
  warn(warning: Warning): void;
  /** Does what must break neither a send nor a handler: if it throws, that becomes a warning. */
  attempt<T>(work: () => T): T | undefined;
}

export function createTelemetry(options: OtelOptions): Telemetry {
  const { warning } = createReporter({ onWarning: options.onWarning });
  const given = new Set<string>();
  const warn = (about: Warning): void => {
    if (given.has(about.message)) return;
    if (given.size >= MAX_REMEMBERED) given.clear();
    given.add(about.message);
    warning(about);
  };
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (thrown) {
      const message = `Tracing failed with ${errorTypeOf(thrown)}; the message went on without.`;
      warn({ code: "tracing_failed", message });
      return undefined;
    }
  };
  const currentTracer = createTracerSource(options);
  const currentInstruments = createInstrumentsSource(options);
  return {
    propagator: options.propagator ?? propagation,
    tracer: () => attempt(currentTracer),
    instruments: () => attempt(currentInstruments),
    warn,
    attempt,
  };
}

/** Each call asks for the provider again, since an SDK may start at any time; the rest it keeps. */
function createTracerSource({ tracerProvider }: OtelOptions): () => Tracer | undefined {
  let source: TracerProvider | undefined;
  let tracer: Tracer | undefined;
  return () => {
    const provider = tracerProvider ?? trace.getTracerProvider();
    if (provider !== source) {
      source = provider;
      tracer = undefined;
    }
    tracer ??= isProxy(provider)
      ? provider.getDelegateTracer(SCOPE, VERSION)
      : provider.getTracer(SCOPE, VERSION);
    return tracer;
  };
}

/**
 * What the API gives out in place of an SDK that may still come. `instanceof` would miss the one of
 * another copy of the API.
 */
function isProxy(provider: TracerProvider): provider is ProxyTracerProvider {
  return "getDelegateTracer" in provider;
}

/** As for the tracer. An instrument that was made before the SDK started would never measure. */
function createInstrumentsSource({ meterProvider }: OtelOptions): () => Instruments | undefined {
  let source: unknown;
  let instruments: Instruments | undefined;
  return () => {
    const provider = meterProvider ?? metrics.getMeterProvider();
    if (provider !== source) {
      source = provider;
      instruments = undefined;
      const meter = provider.getMeter(SCOPE, VERSION);
      instruments = meter === createNoopMeter() ? undefined : createInstruments(meter);
    }
    return instruments;
  };
}

/** A tracer that makes no spans, but passes on the context that it is given. */
export function createNoopTracer(): Tracer {
  return new ProxyTracerProvider().getTracer(SCOPE, VERSION);
}
