import { type Envelope, invalidUrn, misfit } from "./envelope.js";
import { InvalidEnvelopeError } from "./errors.js";
import { describe, describeCount, isNonBlank, isObject } from "./json.js";
import { withLargeIntegers } from "./json-text.js";
import { assertPayload, stringifyExactly } from "./payload.js";
import { SCHEMA_VERSION } from "./schema-version.js";
import { trimmedUrn } from "./urn.js";
import { emitProcessWarning, type Warning } from "./warning.js";

/** Top-level keys that are never emitted, and dropped on decode (CONTRACT.md §1). */
export const FORBIDDEN_KEYS: readonly string[] = ["timestamp"];
/** The same within `meta`. */
export const FORBIDDEN_META_KEYS: readonly string[] = ["max_retries", "attempts", "source", "ts"];
/** Keys that are not passed on with the unknown ones: the URN is written as `job`. */
const NEVER_WRITTEN: readonly string[] = ["urn", ...FORBIDDEN_KEYS];

/**
 * Writes an envelope as compact JSON, keys in the order of CONTRACT.md §1, unknown keys after them.
 * Values are written anew; to pass on what was received byte for byte, use {@link amendEnvelope}.
 *
 * @throws {@link InvalidEnvelopeError} if a consumer would reject it.
 * @throws {@link InvalidPayloadError} where JSON would lose something, such as `NaN` or a `Map`.
 */
export function encodeEnvelope(envelope: Envelope<object>): string {
  const job = checkEnvelope(envelope, assertPayload);
  const { meta } = envelope;
  const writtenMeta = {
    id: meta.id,
    queue: meta.queue,
    lang: meta.lang,
    schema_version: SCHEMA_VERSION,
    created_at: meta.created_at,
  };
  const written = {
    job,
    trace_id: envelope.trace_id,
    data: envelope.data,
    meta: withRest(writtenMeta, meta, FORBIDDEN_META_KEYS),
    attempts: envelope.attempts,
  };
  return stringifyExactly(withRest(written, envelope, NEVER_WRITTEN));
}

/** Adds the members of `source` that are neither written nor dropped. */
function withRest(written: object, source: object, dropped: readonly string[]): object {
  const rest = Object.keys(source).filter(
    (key) => !Object.hasOwn(written, key) && !dropped.includes(key),
  );
  if (rest.length === 0) return written;
  const members = source as Readonly<Record<string, unknown>>;
  return { ...written, ...Object.fromEntries(rest.map((key) => [key, members[key]])) };
}

export interface DecodeOptions {
  /**
   * What an integer literal outside ±(2^53−1) becomes. Default `bigint`; `number` rounds it, as
   * JSON.parse does.
   */
  readonly largeIntegers?: "bigint" | "number" | undefined;
  /** Told of each dropped key. Default: a process warning. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
}

/**
 * Reads an envelope of schema version 1 (CONTRACT.md §1). The URN is in `job`, trimmed, also where
 * it came as `urn`; unknown keys stay; keys that no envelope may hold are dropped with a warning.
 *
 * @throws {@link InvalidEnvelopeError} with the `reason`; nothing else, unless `onWarning` throws.
 */
export function decodeEnvelope(body: string, options: DecodeOptions = {}): Envelope {
  const parsed = parse(body, options.largeIntegers ?? "bigint");
  const job = checkEnvelope(parsed, requireData);
  // the parsed object is ours alone, and keeping it keeps the unknown keys
  const envelope = parsed as Record<string, unknown>;
  envelope["job"] = job;
  if (envelope["urn"] !== undefined) delete envelope["urn"];
  const onWarning = options.onWarning ?? emitProcessWarning;
  dropKeys(envelope, FORBIDDEN_KEYS, "", onWarning);
  dropKeys(envelope["meta"] as Record<string, unknown>, FORBIDDEN_META_KEYS, "/meta", onWarning);
  return envelope as unknown as Envelope;
}

function dropKeys(
  object: Record<string, unknown>,
  keys: readonly string[],
  parent: string,
  onWarning: (warning: Warning) => void,
): void {
  for (const key of keys) {
    if (object[key] === undefined) continue;
    delete object[key];
    const pointer = `${parent}/${key}`;
    const message = `Dropped ${pointer}: schema version 1 has no such key.`;
    onWarning({ code: "dropped_key", message, pointer });
  }
}

function parse(body: string, largeIntegers: "bigint" | "number"): unknown {
  if (typeof body !== "string") throw misfit("not_json", "the body", "text", describe(body));
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    const problem = `the body of ${body.length} characters is not JSON`;
    throw new InvalidEnvelopeError("not_json", problem);
  }
  // not within the try: a fault of ours must make poison of no message
  return largeIntegers === "bigint" ? withLargeIntegers(parsed, body) : parsed;
}

/** The rules that both sides share, with those for `data` of the side. Returns the URN. */
function checkEnvelope(envelope: unknown, checkData: (data: unknown) => void): string {
  if (!isObject(envelope)) {
    throw misfit("not_an_object", "it", "an object", describe(envelope));
  }
  const { job, urn, trace_id: traceId, meta, attempts } = envelope;
  const name = trimmedUrn(job) ?? trimmedUrn(urn);
  if (name === undefined) throw invalidUrn(job, urn);
  if (!isNonBlank(traceId)) {
    throw misfit("invalid_trace_id", '"trace_id"', "a non-blank string", describe(traceId));
  }
  checkData(envelope["data"]);
  if (!isObject(meta)) throw misfit("invalid_meta", '"meta"', "an object", describe(meta));
  if (meta["schema_version"] !== SCHEMA_VERSION) {
    const received = describeCount(meta["schema_version"]);
    throw misfit("unsupported_schema_version", '"meta.schema_version"', "the number 1", received);
  }
  if (!isAttempts(attempts)) throw invalidAttempts(attempts);
  return name;
}

function requireData(data: unknown): void {
  if (!isObject(data)) throw misfit("invalid_data", '"data"', "an object", describe(data));
}

export function isAttempts(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function invalidAttempts(attempts: unknown): InvalidEnvelopeError {
  const received = describeCount(attempts);
  return misfit("invalid_attempts", '"attempts"', "a whole number from 0 to 2^53−1", received);
}
