import {
  context,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { onTestFinished } from "vitest";

export interface SdkOptions {
  readonly propagator?: TextMapPropagator | undefined;
  readonly sampler?: Sampler | undefined;
}

/** Finished spans of the SDK, and the ways in which tests look at them. */
export class Spans {
  readonly exporter: InMemorySpanExporter = new InMemorySpanExporter();

  get all(): readonly ReadableSpan[] {
    return this.exporter.getFinishedSpans();
  }

  named(name: string): readonly ReadableSpan[] {
    return this.all.filter((span) => span.name === name);
  }

  /** The only span of that name. */
  one(name: string): ReadableSpan {
    const [span, ...others] = this.named(name);
    if (span === undefined || others.length > 0) {
      throw new Error(`Expected one span ${name} among ${this.all.map((s) => s.name).join(", ")}`);
    }
    return span;
  }

  /** The spans as lines, indented below their parents; `?` before one whose parent is unknown. */
  tree(): string[] {
    const byTime = [...this.all].sort((a, b) => nanoseconds(a) - nanoseconds(b));
    const ids = new Set(byTime.map((span) => span.spanContext().spanId));
    const below = (parent: string | undefined, indent: string): string[] => {
      const children = byTime.filter((span) => span.parentSpanContext?.spanId === parent);
      return children.flatMap((span) => [
        `${indent}${titleOf(span)}`,
        ...below(span.spanContext().spanId, `${indent}  `),
      ]);
    };
    const orphans = byTime.filter((span) => {
      const parent = span.parentSpanContext?.spanId;
      return parent !== undefined && !ids.has(parent);
    });
    return [
      ...below(undefined, ""),
      ...orphans.flatMap((span) => [
        `? ${titleOf(span)}`,
        ...below(span.spanContext().spanId, "    "),
      ]),
    ];
  }
}

function titleOf(span: ReadableSpan): string {
  const failed = span.status.code === SpanStatusCode.ERROR ? " FAILED" : "";
  return `${span.name} ${SpanKind[span.kind]}${failed}`;
}

function nanoseconds({ startTime: [seconds, nanos] }: ReadableSpan): number {
  return (seconds % 1_000_000) * 1e9 + nanos;
}

/** Registers the SDK for spans until the test is finished. */
export function startSdk({ propagator, sampler }: SdkOptions = {}): Spans {
  const spans = new Spans();
  const provider = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spans.exporter)],
    ...(sampler && { sampler }),
  });
  provider.register(propagator && { propagator });
  onTestFinished(async () => {
    trace.disable();
    context.disable();
    propagation.disable();
    await provider.shutdown();
  });
  return spans;
}

/** Registers the SDK for metrics until the test is finished; returns what reads them. */
export function startMetrics(): () => Promise<readonly MetricData[]> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  onTestFinished(async () => {
    metrics.disable();
    await provider.shutdown();
  });
  return async () => {
    exporter.reset();
    await provider.forceFlush();
    return exporter.getMetrics().flatMap(({ scopeMetrics }) => {
      return scopeMetrics.flatMap((scope) => scope.metrics);
    });
  };
}

/** Runs something in a span of that name, as an application would. */
export async function inSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  return trace.getTracer("test").startActiveSpan(name, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });
}
