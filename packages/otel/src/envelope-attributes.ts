import type { Envelope } from "@babelqueue/core";
import type { Attributes } from "@opentelemetry/api";
import { ATTR_ATTEMPTS, ATTR_CONVERSATION_ID, ATTR_ENVELOPE_ID, ATTR_URN } from "./semconv.js";

/** What a span says of one message. Nothing of `data`: it may be personal. */
export function envelopeAttributes(envelope: Envelope<unknown>): Attributes {
  const { job, trace_id, meta, attempts } = envelope;
  const attributes: Attributes = {
    [ATTR_CONVERSATION_ID]: trace_id,
    [ATTR_URN]: job,
    [ATTR_ATTEMPTS]: attempts,
  };
  // another producer may leave it out, and nobody checks what it is
  if (typeof meta.id === "string") attributes[ATTR_ENVELOPE_ID] = meta.id;
  return attributes;
}
