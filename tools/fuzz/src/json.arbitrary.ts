import type { JsonObject, JsonValue } from "@babelqueue/core";
import * as fc from "fast-check";

/** What a JSON text, and SQS, may trip over. */
const ODD_CHARACTERS = [
  ...["\uFFFE", "\uFFFF", "\uD800", "\uDFFF", "\u{1FFFF}", "\u0000", "\u001F", "\u007F"],
  ...["\u2028", "\u2029", "\uFEFF", "\u00A0", '"', "\\", "/", "{", "}", "[", "]", ",", ":", " "],
];
const ODD_STRINGS = [
  ...["\uFFFF1", '"\uFFFF12"', "\\\uFFFF0\\", "9007199254740993", ":9007199254740993,"],
  ...['{"attempts":1}', "\\u0061", "\\", '\\"', "urn:babel:orders:created"],
];
const ODD_KEYS = [
  ...["__proto__", "constructor", "toString", "toJSON", "hasOwnProperty", "", "0", "-1", "meta"],
  ...["attempts", "timestamp", "source", "ts", "max_retries", "dead_letter", "urn", "job"],
];

/** Any string, lone surrogates and noncharacters too. */
export const anyString: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 12 }) },
  {
    weight: 4,
    arbitrary: fc.string({
      unit: fc.oneof(
        fc.constantFrom(...ODD_CHARACTERS),
        fc.string({ unit: "binary", maxLength: 2 }),
      ),
      maxLength: 12,
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_STRINGS) },
);

export const anyKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: anyString },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_KEYS) },
);

/** docs/wire-contract.md §1: six characters are white space, and no other. */
export function isBlank(text: string): boolean {
  return /^[ \t\n\v\f\r]*$/.test(text);
}

export const nonBlank: fc.Arbitrary<string> = anyString.filter((text) => !isBlank(text));

const largest = BigInt(Number.MAX_SAFE_INTEGER);
const anyBigint = fc.oneof(
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  fc.bigInt({ min: largest - 3n, max: largest + 3n }),
  fc.bigInt({ min: -largest - 3n, max: -largest + 3n }),
);

const { value: anyValue, object: anyMembers } = fc.letrec<{ value: JsonValue; object: JsonObject }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: "small", withCrossShrink: true },
      fc.constantFrom<JsonValue>(null, true, false, 0, -0),
      anyString,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      anyBigint,
      fc.array(tie("value"), { maxLength: 4 }),
      tie("object"),
    ),
    object: fc.array(fc.tuple(anyKey, tie("value")), { maxLength: 5 }).map(objectOf),
  }),
);

export const anyJson: fc.Arbitrary<JsonValue> = anyValue;
export const anyObject: fc.Arbitrary<JsonObject> = anyMembers;

/** `__proto__` is a key like any other. */
export function objectOf<T>(members: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(members);
}

/** A text that two JSON values share only if they are the same, of the same types; key order aside. */
export function canonical(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (Object.is(value, -0)) return "-0";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${texts.join(",")}}`;
}

/** What a value is once it was written and read: numbers take the type that their literals have. */
export function asDecoded(value: JsonValue): JsonValue {
  if (typeof value === "bigint") return readLiteral(String(value));
  if (typeof value === "number") {
    const isWhole = Number.isInteger(value) && Math.abs(value) < 1e21;
    return readLiteral(isWhole ? String(BigInt(value)) : JSON.stringify(value));
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(asDecoded);
  return objectOf(Object.entries(value).map(([key, member]) => [key, asDecoded(member)]));
}

/** docs/wire-contract.md §1: an integer literal outside ±(2^53−1) is a `bigint`. */
export function readLiteral(literal: string): number | bigint {
  if (!/^-?\d+$/.test(literal)) return Number(literal);
  const exact = BigInt(literal);
  return exact < -largest || exact > largest ? exact : Number(literal);
}
