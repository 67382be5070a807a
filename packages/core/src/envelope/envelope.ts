import { InvalidEnvelopeError, type InvalidEnvelopeReason } from "../errors.js";
import { describe, type JsonObject } from "./json.js";
import type { SCHEMA_VERSION } from "./schema-version.js";

/** The `meta.lang` of what this SDK produces. */
export const SOURCE_LANG = "node" as const;

/** Top-level keys that are never written, and dropped on decode. */
export const FORBIDDEN_KEYS: readonly string[] = ["timestamp", "urn"];
/** The same within `meta`. */
export const FORBIDDEN_META_KEYS: readonly string[] = ["max_retries", "attempts", "source", "ts"];

/** What the producer says of a message. Immutable: no consumer changes it. */
export interface Meta {
  /** UUID v4, new for each message. Not checked on receipt; another producer may leave it out. */
  readonly id: string;
  /** The logical queue name; `default` if none was given. */
  readonly queue: string;
  /** The producer's language; passed on unchanged. */
  readonly lang: string;
  readonly schema_version: typeof SCHEMA_VERSION;
  /** When it was produced, Unix milliseconds, UTC. */
  readonly created_at: number;
}

/** Why a message lies in a dead-letter queue. */
export type DeadLetterReason = "failed" | "unknown_urn" | "poison";

/** What a consumer adds to the copy that it writes to a dead-letter queue (docs/wire-contract.md §1). */
export interface DeadLetter {
  readonly reason: DeadLetterReason;
  readonly error: string | null;
  readonly exception: string | null;
  /** Unix milliseconds, UTC. */
  readonly failed_at: number;
  /** The queue that it was consumed from. */
  readonly original_queue: string;
  readonly attempts: number;
  /** The language of the SDK that dead-lettered it. */
  readonly lang: string;
}

/**
 * The envelope, schema version 1 (docs/wire-contract.md §1). Keys that this type does not know survive decode
 * and re-encode at run time.
 */
export interface Envelope<TData = JsonObject> {
  /** The URN that names the kind of message, and that it is routed by. */
  readonly job: string;
  /** Shared by all messages of one chain of cause and effect. */
  readonly trace_id: string;
  readonly data: TData;
  readonly meta: Meta;
  /** How often the message was delivered before; 0 on the first delivery. */
  readonly attempts: number;
  readonly dead_letter?: DeadLetter | undefined;
}

export function invalidUrn(job: unknown, alias?: unknown): InvalidEnvelopeError {
  const expected = "a non-blank URN such as urn:babel:orders:created";
  return misfit("invalid_urn", '"job"', expected, job, (urn) =>
    alias === undefined ? describe(urn) : `${describe(urn)}; its alias "urn" is ${describe(alias)}`,
  );
}

/** What is wrong with an envelope; the value is shown by its kind alone. */
export function misfit(
  reason: InvalidEnvelopeReason,
  where: string,
  expected: string,
  value: unknown,
  show: (value: unknown) => string = describe,
): InvalidEnvelopeError {
  return new InvalidEnvelopeError(reason, `${where} must be ${expected}, and is ${show(value)}`);
}
