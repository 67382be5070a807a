import {
  type Context,
  isSpanContextValid,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  TraceFlags,
  trace,
} from "@opentelemetry/api";

const FIELDS = {
  traceId: "x-datadog-trace-id",
  parentId: "x-datadog-parent-id",
  priority: "x-datadog-sampling-priority",
  tags: "x-datadog-tags",
} as const;

/**
 * A trace context as Datadog's tracers write it: decimal ids of 64 bits, the upper half of the
 * trace id in the tags, and none of it of use without the rest.
 */
export class DatadogPropagator implements TextMapPropagator {
  inject(from: Context, carrier: unknown, setter: TextMapSetter): void {
    const spanContext = trace.getSpanContext(from);
    if (spanContext === undefined || !isSpanContextValid(spanContext)) return;
    const { traceId, spanId, traceFlags } = spanContext;
    setter.set(carrier, FIELDS.traceId, String(BigInt(`0x${traceId.slice(16)}`)));
    setter.set(carrier, FIELDS.parentId, String(BigInt(`0x${spanId}`)));
    setter.set(carrier, FIELDS.priority, traceFlags & TraceFlags.SAMPLED ? "1" : "0");
    setter.set(carrier, FIELDS.tags, `_dd.p.tid=${traceId.slice(0, 16)}`);
  }

  extract(into: Context, carrier: unknown, getter: TextMapGetter): Context {
    const [lower, parent, priority, tags] = Object.values(FIELDS).map((field) => {
      const value = getter.get(carrier, field);
      return typeof value === "string" ? value : undefined;
    });
    const [, upper] = /_dd\.p\.tid=([\da-f]{16})/.exec(tags ?? "") ?? [];
    if (lower === undefined || parent === undefined || upper === undefined) return into;
    return trace.setSpanContext(into, {
      traceId: upper + hexOf(lower),
      spanId: hexOf(parent),
      traceFlags: Number(priority) > 0 ? TraceFlags.SAMPLED : TraceFlags.NONE,
      isRemote: true,
    });
  }

  fields(): string[] {
    return Object.values(FIELDS);
  }
}

function hexOf(decimal: string): string {
  return BigInt(decimal).toString(16).padStart(16, "0");
}
