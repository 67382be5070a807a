import { type Envelope, invalidUrn, isNonBlank } from "./envelope.js";
import { InvalidEnvelopeError } from "./errors.js";
import { describe, describeCount, isObject } from "./json.js";
import { parseExactly } from "./json-text.js";
import { assertPayload, stringifyExactly } from "./payload.js";
import { SCHEMA_VERSION } from "./schema-version.js";
import { trimmedUrn } from "./urn.js";
import { emitProcessWarning, type Warning } from "./warning.js";

/** Top-level keys that are never emitted, and dropped on decode (CONTRACT.md §1). */
export const FORBIDDEN_KEYS = ["timestamp"] as const;
/** The same within `meta`. */
export const FORBIDDEN_META_KEYS = ["max_retries", "attempts", "source", "ts"] as const;

const WRITTEN_KEYS: ReadonlySet<string> = new Set([
  ...["job", "urn", "trace_id", "data", "meta", "attempts"],
  ...FORBIDDEN_KEYS,
]);
const WRITTEN_META_KEYS: ReadonlySet<string> = new Set([
  ...["id", "queue", "lang", "schema_version", "created_at"],
  ...FORBIDDEN_META_KEYS,
]);

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
  const written = {
    job,
    trace_id: envelope.trace_id,
    data: envelope.data,
    meta: withRest(
      {
        id: meta.id,
        queue: meta.queue,
        lang: meta.lang,
        schema_version: SCHEMA_VERSION,
        created_at: meta.created_at,
      },
      meta,
      WRITTEN_META_KEYS,
    ),
    attempts: envelope.attempts,
  };
  return stringifyExactly(withRest(written, envelope, WRITTEN_KEYS));
}

/** Adds the members of `source` that are not among the `written` ones. */
function withRest(base: object, source: object, written: ReadonlySet<string>): object {
  if (Object.keys(source).every((key) => written.has(key))) return base;
  const rest = Object.entries(source).filter(([key]) => !written.has(key));
  return { ...base, ...Object.fromEntries(rest) };
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
  const onWarning = options.onWarning ?? warnProcess;
  dropKeys(envelope, FORBIDDEN_KEYS, "", onWarning);
  dropKeys(envelope["meta"] as Record<string, unknown>, FORBIDDEN_META_KEYS, "/meta", onWarning);
  return envelope as unknown as Envelope;
}

function warnProcess({ message, code }: Warning): void {
  emitProcessWarning(message, code);
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
    const message = `Dropped ${pointer} from a received envelope: schema version 1 has no such key.`;
    onWarning({ code: "dropped_key", message, pointer });
  }
}

function parse(body: string, largeIntegers: "bigint" | "number"): unknown {
  if (typeof body !== "string") {
    throw new InvalidEnvelopeError("not_json", `the body is ${describe(body)}, and must be text`);
  }
  try {
    return largeIntegers === "bigint" ? parseExactly(body) : JSON.parse(body);
  } catch {
    const length = body.length === 0 ? "is empty" : `(${body.length} characters) is not JSON`;
    throw new InvalidEnvelopeError("not_json", `the body ${length}`);
  }
}

/** The rules that both sides share, with those for `data` of the side. Returns the URN. */
function checkEnvelope(envelope: unknown, checkData: (data: unknown) => void): string {
  if (!isObject(envelope)) {
    throw new InvalidEnvelopeError(
      "not_an_object",
      `expected an object, got ${describe(envelope)}`,
    );
  }
  const { job, urn, trace_id: traceId, meta, attempts } = envelope;
  const name = trimmedUrn(job) ?? trimmedUrn(urn);
  if (name === undefined) throw invalidUrn(job, urn);
  if (!isNonBlank(traceId)) {
    throw new InvalidEnvelopeError(
      "invalid_trace_id",
      `"trace_id" must be a non-blank string, and is ${describe(traceId)}`,
    );
  }
  checkData(envelope["data"]);
  if (!isObject(meta)) {
    throw new InvalidEnvelopeError(
      "invalid_meta",
      `"meta" must be an object, and is ${describe(meta)}`,
    );
  }
  if (meta["schema_version"] !== SCHEMA_VERSION) {
    throw new InvalidEnvelopeError(
      "unsupported_schema_version",
      `"meta.schema_version" must be the number 1, and is ${describeCount(meta["schema_version"])}`,
    );
  }
  if (!isAttempts(attempts)) throw invalidAttempts(attempts);
  return name;
}

function requireData(data: unknown): void {
  if (!isObject(data)) {
    throw new InvalidEnvelopeError(
      "invalid_data",
      `"data" must be an object, and is ${describe(data)}`,
    );
  }
}

export function isAttempts(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function invalidAttempts(attempts: unknown): InvalidEnvelopeError {
  return new InvalidEnvelopeError(
    "invalid_attempts",
    `"attempts" must be a whole number from 0 to 2^53−1, and is ${describeCount(attempts)}`,
  );
}
