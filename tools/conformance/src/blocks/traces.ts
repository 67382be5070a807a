import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { block } from "../block.js";

interface Traces {
  readonly cases: readonly {
    readonly name: string;
    readonly trace_id: string;
    /** Null: no parent, a root span. */
    readonly parent: { readonly trace_id: string; readonly span_id: string } | null;
  }[];
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * The rule in a few lines, which holds the vectors to the contract. `@babelqueue/otel` runs the same
 * vectors against what it does.
 */
function parentOf(traceId: string): { trace_id: string; span_id: string } | null {
  const hex = UUID.test(traceId)
    ? traceId.replaceAll("-", "").toLowerCase()
    : sha256(traceId).slice(0, 32);
  if (/^0+$/.test(hex)) return null;
  return { trace_id: hex, span_id: sha256(`babelqueue-span:${traceId}`).slice(0, 16) };
}

export const traces = block<Traces>({
  key: "traces",
  subject: "the parent that a trace_id stands for",
  define: ({ cases }) => {
    test.each(cases)("$name", ({ trace_id: traceId, parent }) => {
      expect(parentOf(traceId)).toEqual(parent);
    });
  },
});
