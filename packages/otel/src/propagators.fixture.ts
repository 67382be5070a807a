import type { Headers } from "@babelqueue/core";
import type { TextMapPropagator } from "@opentelemetry/api";
import { CompositePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import { B3InjectEncoding, B3Propagator } from "@opentelemetry/propagator-b3";

export const W3C: TextMapPropagator = new W3CTraceContextPropagator();
export const B3_MULTI: TextMapPropagator = new B3Propagator({
  injectEncoding: B3InjectEncoding.MULTI_HEADER,
});
/** What it writes, sorted. */
export const B3_NAMES: readonly string[] = ["x-b3-sampled", "x-b3-spanid", "x-b3-traceid"];

export function composite(...propagators: TextMapPropagator[]): TextMapPropagator {
  return new CompositePropagator({ propagators });
}

/** So many headers of a caller. */
export function own(count: number): Headers {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`own-${n}`, "x"]));
}
