import { extractContext } from "@babelqueue/otel";
import { propagation, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { block } from "../block.js";

interface Case {
  readonly name: string;
  readonly mode: "extract";
  /** Null: no such header was delivered. */
  readonly traceparent: string | null;
  /** Of the envelope. */
  readonly trace_id: string;
  readonly expect:
    | {
        readonly source: "traceparent";
        readonly trace_id_hex: string;
        readonly parent_span_id: string;
        readonly flags: string;
      }
    | { readonly source: "trace_id"; readonly trace_id_hex: string };
}

export const traceparent = block<{ readonly cases: readonly Case[] }>({
  key: "traceparent",
  subject: "extractContext",
  define: ({ cases }) => {
    beforeAll(() => {
      propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    });
    afterAll(() => propagation.disable());

    test.each(cases)("$mode: $name", ({ traceparent: header, trace_id: id, expect: expected }) => {
      const headers = header === null ? {} : { traceparent: header };
      const parent = trace.getSpanContext(extractContext(headers, id));
      expect(parent?.traceId).toBe(expected.trace_id_hex);
      if (expected.source === "traceparent") {
        expect(parent?.spanId).toBe(expected.parent_span_id);
        expect(parent?.traceFlags).toBe(Number.parseInt(expected.flags, 16));
      } else {
        expect(parent).toEqual(trace.getSpanContext(extractContext({}, id)));
      }
    });
  },
});
