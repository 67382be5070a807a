import { decodeEnvelope, isAttempts } from "../envelope/codec.js";
import type { Envelope } from "../envelope/envelope.js";
import { acceptsSchemaVersion } from "../envelope/schema-version.js";
import { InvalidEnvelopeError, UnsupportedSchemaVersionError } from "../errors.js";
import type { Warning } from "../warning.js";
import type { Delivery, Received } from "./delivery.js";

interface AdmitOptions {
  readonly largeIntegers: "bigint" | "number" | undefined;
  readonly onWarning: (warning: Warning) => void;
}

/** Gate, then decode (docs/wire-contract.md §3), then count: never throws for what is in the delivery. */
export function admit<TMessage>(
  delivery: Delivery<TMessage>,
  options: AdmitOptions,
): Received<TMessage> {
  const { declaredSchemaVersion: declared } = delivery;
  if (!acceptsSchemaVersion(declared)) {
    const refusal = new UnsupportedSchemaVersionError(String(declared));
    return { delivery, envelope: null, refusal };
  }
  try {
    const envelope = decodeEnvelope(delivery.body, options);
    return { delivery, envelope: reconcile(envelope, delivery), refusal: null };
  } catch (error) {
    if (error instanceof InvalidEnvelopeError) return { delivery, envelope: null, refusal: error };
    throw error;
  }
}

function reconcile(envelope: Envelope, { attempts, redeliveries }: Delivery): Envelope {
  const counted = Math.max(envelope.attempts, isAttempts(redeliveries) ? redeliveries : 0);
  const reconciled = isAttempts(attempts) ? attempts : counted;
  return reconciled === envelope.attempts ? envelope : { ...envelope, attempts: reconciled };
}
