import { InvalidEnvelopeError } from "../errors.js";
import { emitProcessWarning, type Warning } from "../warning.js";
import {
  type Envelope,
  FORBIDDEN_KEYS,
  FORBIDDEN_META_KEYS,
  invalidUrn,
  misfit,
} from "./envelope.js";
import { describe, describeCount, isNonBlank, isObject } from "./json.js";
import { withLargeIntegers } from "./json-text.js";
import { assertPayload, stringifyExactly } from "./payload.js";
import { SCHEMA_VERSION } from "./schema-version.js";

/**
 * Writes an envelope as compact JSON, keys in the order of docs/wire-contract.md §1, unknown keys after them.
 * Values are written anew; to pass on what was received byte for byte, use {@link amendEnvelope}.
 *
 * @throws {@link InvalidEnvelopeError} if a consumer would reject it, or it has a key that no
 * envelope may hold. One that was decoded has none.
 * @throws {@link InvalidPayloadError} where JSON would lose something, such as `NaN` or a `Map`.
 */
export function encodeEnvelope(envelope: Envelope<object>): string {
  const { job, trace_id, data, meta, attempts } = requireObject(
    envelope,
  ) as object as Envelope<object>;
  if (!isNonBlank(job)) throw invalidUrn(job);
  checkMembers(envelope, assertPayload);
  if (!isAttempts(attempts)) throw invalidAttempts(attempts);
  eachForbidden(envelope, (_holder, _key, pointer) => {
    throw new InvalidEnvelopeError("forbidden_key", `no envelope may hold ${pointer}`);
  });
  const { id, queue, lang, created_at } = meta;
  const writtenMeta = { id, queue, lang, schema_version: SCHEMA_VERSION, created_at };
  const written = { job, trace_id, data, meta: withRest(writtenMeta, meta), attempts };
  return stringifyExactly(withRest(written, envelope));
}

/** Finds the keys that no envelope may hold. */
function eachForbidden(
  envelope: object,
  found: (holder: Record<string, unknown>, key: string, pointer: string) => void,
): void {
  const top = envelope as Record<string, unknown>;
  for (const key of FORBIDDEN_KEYS) {
    if (top[key] !== undefined) found(top, key, `/${key}`);
  }
  const meta = top["meta"] as Record<string, unknown>;
  for (const key of FORBIDDEN_META_KEYS) {
    if (meta[key] !== undefined) found(meta, key, `/meta/${key}`);
  }
}

/** Adds the members of `source` that are not written yet. */
function withRest(written: object, source: object): object {
  for (const key in source) {
    if (!Object.hasOwn(written, key)) return { ...written, ...source, ...written };
  }
  return written;
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
 * Reads an envelope of schema version 1 (docs/wire-contract.md §1). The URN is in `job` as it came, also where
 * it came as `urn`; unknown keys stay; keys that no envelope may hold are dropped with a warning.
 *
 * @throws {@link InvalidEnvelopeError} with the `reason`; nothing else, unless `onWarning` throws.
 */
export function decodeEnvelope(body: string, options: DecodeOptions = {}): Envelope {
  const { largeIntegers = "bigint", onWarning = emitProcessWarning } = options;
  // the parsed object is ours alone, and keeping it keeps the unknown keys
  const envelope = requireObject(parse(body, largeIntegers));
  const warn: Warn = (code, pointer, problem) =>
    onWarning({ code, message: `${pointer} ${problem}.`, pointer });
  readUrn(envelope, warn);
  checkMembers(envelope, requireData);
  if (!isAttempts(envelope["attempts"])) readAttempts(envelope, warn);
  eachForbidden(envelope, (holder, key, pointer) => {
    delete holder[key];
    warn("dropped_key", pointer, "was dropped: schema version 1 has no such key");
  });
  return envelope as unknown as Envelope;
}

type Warn = (code: string, pointer: string, problem: string) => void;

/** Leaves the URN in `job`, and the alias only where it is one key too many. */
function readUrn(envelope: Record<string, unknown>, warn: Warn): void {
  const { job, urn } = envelope;
  if (isNonBlank(job)) return;
  if (!isNonBlank(urn)) throw invalidUrn(job, urn);
  if (job !== undefined && typeof job !== "string") {
    warn("ignored_job", "/job", `is ${describe(job)}, so its alias /urn was read`);
  }
  envelope["job"] = urn;
  delete envelope["urn"];
}

/** Reads counts that other SDKs write: none, null, one below 0, or one too large to count with. */
function readAttempts(envelope: Record<string, unknown>, warn: Warn): void {
  const received = envelope["attempts"];
  const count = received ?? 0;
  if (typeof count !== "bigint" && !Number.isInteger(count)) throw invalidAttempts(received);
  const attempts = Number(count) > 0 ? Number.MAX_SAFE_INTEGER : 0;
  warn(
    "adjusted_attempts",
    "/attempts",
    `is ${describeCount(received)}, and was read as ${attempts}`,
  );
  envelope["attempts"] = attempts;
}

function parse(body: string, largeIntegers: "bigint" | "number"): unknown {
  if (typeof body !== "string") throw misfit("not_json", "the body", "text", body);
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

function requireObject(envelope: unknown): Record<string, unknown> {
  if (isObject(envelope)) return envelope;
  throw misfit("not_an_object", "it", "an object", envelope);
}

/** The rules that both sides share, with those for `data` of the side. */
function checkMembers(envelope: object, checkData: (data: unknown) => void): void {
  const { trace_id: traceId, data, meta } = envelope as Readonly<Record<string, unknown>>;
  if (!isNonBlank(traceId)) {
    throw misfit("invalid_trace_id", '"trace_id"', "a non-blank string", traceId);
  }
  checkData(data);
  if (!isObject(meta)) throw misfit("invalid_meta", '"meta"', "an object", meta);
  if (meta["schema_version"] !== SCHEMA_VERSION) {
    const where = '"meta.schema_version"';
    const version = meta["schema_version"];
    throw misfit("unsupported_schema_version", where, "the number 1", version, describeCount);
  }
}

function requireData(data: unknown): void {
  if (!isObject(data)) throw misfit("invalid_data", '"data"', "an object", data);
}

export function isAttempts(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function invalidAttempts(attempts: unknown): InvalidEnvelopeError {
  const expected = "a whole number from 0 to 2^53−1";
  return misfit("invalid_attempts", '"attempts"', expected, attempts, describeCount);
}
