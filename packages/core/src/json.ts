/**
 * What JSON can carry. Integers beyond ±(2^53−1) are `bigint`, so that none is silently rounded
 * (CONTRACT.md §1).
 */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly JsonValue[]
  | JsonObject;

/** A JSON object; the default type of an envelope's `data`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Is it a JSON object, that is neither `null` nor an array? */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isNonBlank(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Names what was received without showing it: values may be personal data. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return isNonBlank(value) ? "a string" : "a blank string";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The same for a field that only ever counts: a small number is shown. */
export function describeCount(value: unknown): string {
  return typeof value === "number" && Math.abs(value) < 1e6
    ? `the number ${value}`
    : describe(value);
}
