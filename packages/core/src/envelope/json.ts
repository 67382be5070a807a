/**
 * What JSON can carry. Integers beyond ±(2^53−1) are `bigint`, so that none is silently rounded
 * (docs/wire-contract.md §1).
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
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Space, tab, LF, VT, FF and CR are white space, and nothing else: U+00A0 is part of a value. */
const NON_BLANK = /[^ \t\n\v\f\r]/;

export function isBlank(text: string): boolean {
  return !NON_BLANK.test(text);
}

export function isNonBlank(value: unknown): value is string {
  return typeof value === "string" && !isBlank(value);
}

/** A non-blank text without white space around it. (A regular expression could take very long.) */
export function trim(text: string): string {
  let end = text.length;
  while (isBlank(text.charAt(end - 1))) end -= 1;
  return text.slice(text.search(NON_BLANK), end);
}

/** Names the kind of what was received without showing it: values may be personal data. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return isNonBlank(value) ? "a string" : "a blank string";
  if (typeof value !== "object") return `a ${typeof value}`;
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null;
  const name = prototype?.constructor?.name;
  return typeof name === "string" && name !== "Object" ? `a ${name}` : "an object";
}

/** The same for a field that only ever counts: a small number is shown. */
export function describeCount(value: unknown): string {
  return typeof value === "number" && Math.abs(value) < 1e6
    ? `the number ${value}`
    : describe(value);
}
