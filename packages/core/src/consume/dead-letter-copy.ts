import { amendEnvelope, toPoisonCopy } from "../envelope/amend.js";
import { isAttempts } from "../envelope/codec.js";
import {
  type DeadLetter,
  type DeadLetterReason,
  type Envelope,
  SOURCE_LANG,
} from "../envelope/envelope.js";
import { type UnknownUrnError, UnsupportedSchemaVersionError } from "../errors.js";
import type { DeadLetterWrite, Delivery } from "./delivery.js";

/** How much of an error's message a copy in a dead-letter queue shows. */
const MAX_ERROR_LENGTH = 1000;

/** The copy of a refused message: gated as it came, poison with a block. */
export function deadLetterRefused(delivery: Delivery, error: Error): DeadLetterWrite {
  const refused = { kind: "dead-letter", envelope: null, error } as const;
  const { body, attempts, redeliveries } = delivery;
  if (error instanceof UnsupportedSchemaVersionError) return { ...refused, reason: "gated", body };
  const count = [attempts, redeliveries].find(isAttempts) ?? 0;
  const block = blockOf(delivery, "poison", count, error.message.slice(0, MAX_ERROR_LENGTH));
  return { ...refused, reason: block.reason, body: toPoisonCopy(body, block) };
}

function blockOf(
  { queue }: Delivery,
  reason: DeadLetterReason,
  attempts: number,
  error: string | null,
): DeadLetter {
  return {
    reason,
    error,
    exception: null,
    failed_at: Date.now(),
    original_queue: queue,
    attempts,
    lang: SOURCE_LANG,
  };
}

/** The copy of an envelope that nobody here handles: amended. */
export function deadLetterUnknown(
  delivery: Delivery,
  envelope: Envelope,
  error: UnknownUrnError,
): DeadLetterWrite {
  const { attempts } = envelope;
  const block = blockOf(delivery, "unknown_urn", attempts, null);
  return {
    kind: "dead-letter",
    envelope: { ...envelope, dead_letter: block },
    reason: block.reason,
    body: amendEnvelope(delivery.body, { attempts, deadLetter: block }),
    error,
  };
}
