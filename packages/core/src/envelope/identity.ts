import { isObject } from "./json.js";
import { withLargeIntegers } from "./json-text.js";
import { trimmedUrn } from "./urn.js";

type IsType = (value: unknown) => boolean;

const isText: IsType = (value) => typeof value === "string";
const isInteger: IsType = (value) => typeof value === "bigint" || Number.isInteger(value);

/** The types of the members that an envelope may have. Those of the URN may be anything. */
const META: Readonly<Record<string, IsType>> = {
  id: isText,
  queue: isText,
  lang: isText,
  schema_version: isInteger,
  created_at: isInteger,
};
const DEAD_LETTER: Readonly<Record<string, IsType>> = {
  reason: isText,
  error: isText,
  exception: isText,
  failed_at: isInteger,
  original_queue: isText,
  attempts: isInteger,
  lang: isText,
};
const ENVELOPE: Readonly<Record<string, IsType>> = {
  trace_id: isText,
  data: isObject,
  meta: (value) => isObject(value) && fits(value, META),
  attempts: isInteger,
  dead_letter: (value) => isObject(value) && fits(value, DEAD_LETTER),
};

/**
 * The URN of any JSON object whose known members have the right type, or are null or absent; trimmed.
 * Null where there is none. A lenient reading for tools that look at dead letters: a consumer hands a
 * handler what {@link decodeEnvelope} takes, and nothing else. Never throws.
 */
export function identityOf(body: string): string | null {
  let parsed: unknown;
  try {
    parsed = withLargeIntegers(JSON.parse(body), body);
  } catch {
    return null;
  }
  if (!isObject(parsed) || !fits(parsed, ENVELOPE)) return null;
  return trimmedUrn(parsed["job"]) ?? trimmedUrn(parsed["urn"]) ?? null;
}

function fits(
  object: Readonly<Record<string, unknown>>,
  types: Readonly<Record<string, IsType>>,
): boolean {
  return Object.entries(types).every(([key, isType]) => {
    const value = object[key];
    return value === undefined || value === null || isType(value);
  });
}
