import { readFileSync } from "node:fs";
import { isSpanContextValid, trace } from "@opentelemetry/api";
import { describe, expect, test } from "vitest";
import { extractContext, traceIdOf, uuidOf } from "./index.js";

interface Case {
  readonly name: string;
  readonly trace_id: string;
  readonly parent: { readonly trace_id: string; readonly span_id: string } | null;
}

/** The vectors that every SDK is to pass (docs/wire-contract.md §5). */
const { traces } = JSON.parse(
  readFileSync(
    new URL("../../../tools/conformance/vectors/manifest.json", import.meta.url),
    "utf8",
  ),
) as { readonly traces: { readonly cases: readonly Case[] } };

describe("the parent that a trace_id stands for", () => {
  test.each(traces.cases)("$name", ({ trace_id: traceId, parent }) => {
    expect(traceIdOf(traceId)).toBe(parent?.trace_id);
    const spanContext = trace.getSpanContext(extractContext({}, traceId));
    expect(spanContext).toEqual(
      parent === null
        ? undefined
        : { traceId: parent.trace_id, spanId: parent.span_id, traceFlags: 1, isRemote: true },
    );
    expect(spanContext === undefined || isSpanContextValid(spanContext)).toBe(true);
  });

  test("none without a trace_id", () => {
    expect(trace.getSpanContext(extractContext({}))).toBeUndefined();
  });
});

describe("a trace id as a UUID", () => {
  test("in lower case, and back again", () => {
    const hex = "4BF92F3577B34DA6A3CE929D0E0E4736";
    expect(uuidOf(hex)).toBe("4bf92f35-77b3-4da6-a3ce-929d0e0e4736");
    expect(traceIdOf(uuidOf(hex))).toBe(hex.toLowerCase());
  });

  test.each([
    "",
    "4bf92f35",
    "g".repeat(32),
    "4bf92f35-77b3-4da6-a3ce-929d0e0e4736",
    "0".repeat(33),
  ])("not of %j", (hex) => {
    expect(() => uuidOf(hex)).toThrow(
      expect.objectContaining({ code: "invalid_argument", argument: "hex" }),
    );
  });
});
