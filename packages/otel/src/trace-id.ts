import { createHash } from "node:crypto";
import { InvalidArgumentError } from "@babelqueue/core";
import { type SpanContext, TraceFlags } from "@opentelemetry/api";

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const HEX = /^[\da-f]{32}$/i;
const NIL = "0".repeat(32);

/**
 * The OpenTelemetry trace id that a `trace_id` stands for, the same in every SDK (docs/wire-contract.md §5):
 * the 32 hex digits of a UUID, in lower case; of any other text the first 32 of its SHA-256.
 *
 * @returns undefined for the nil UUID, which stands for no trace.
 */
export function traceIdOf(traceId: string): string | undefined {
  const hex = UUID.test(traceId)
    ? traceId.replaceAll("-", "").toLowerCase()
    : sha256(traceId).slice(0, 32);
  return hex === NIL ? undefined : hex;
}

/**
 * A trace id written as a UUID, in lower case: the `trace_id` of what a producer span sends
 * (docs/wire-contract.md §5). `traceIdOf(uuidOf(hex))` is `hex` again.
 *
 * @throws `InvalidArgumentError` unless it is given 32 hex digits.
 */
export function uuidOf(hex: string): string {
  if (!HEX.test(hex)) {
    throw new InvalidArgumentError("hex", `expected 32 hex digits, got ${hex.length} characters`);
  }
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20)].join("-").toLowerCase();
}

/**
 * The parent of messages that carry no trace context, derived from their `trace_id`: the same in
 * every SDK, so that all of them end up in one trace (docs/wire-contract.md §5). Undefined for the nil UUID.
 */
export function parentOf(trace_id: string): SpanContext | undefined {
  const traceId = traceIdOf(trace_id);
  if (traceId === undefined) return undefined;
  const spanId = sha256(`babelqueue-span:${trace_id}`).slice(0, 16);
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
