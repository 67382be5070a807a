import type { JsonValue } from "@babelqueue/core";
import * as fc from "fast-check";
import { anyKey, anyString, objectOf, readLiteral } from "./json.arbitrary.js";

/** A JSON text as somebody else might write it, and what it says. */
export interface Text<T = JsonValue> {
  readonly text: string;
  readonly value: T;
}

/**
 * White space within members is of spaces and carriage returns, that between the members of an
 * envelope of tabs and line feeds: so an expectation can leave open which gap goes with a member
 * that is removed.
 */
const gap = (characters: readonly string[]): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...characters), maxLength: 2 });
const innerGap = gap([" ", "\r"]);
export const outerGap = gap(["\t", "\n"]);

/** A string literal of the text, each character plain or escaped in one of its ways. */
function spelled(text: string): fc.Arbitrary<string> {
  return fc.array(fc.nat(3), { minLength: text.length, maxLength: text.length }).map((ways) => {
    const units = text.split("").map((unit, at) => spell(unit, ways[at] ?? 0));
    return `"${units.join("")}"`;
  });
}

function spell(unit: string, way: number): string {
  const hex = unit.charCodeAt(0).toString(16).padStart(4, "0");
  if (way === 1) return `\\u${hex}`;
  if (way === 2 && unit === "/") return "\\/";
  if (way === 3) return `\\u${hex.toUpperCase()}`;
  return JSON.stringify(unit).slice(1, -1);
}

const stringText = anyString.chain((value) =>
  spelled(value).map((text): Text => ({ text, value })),
);

const digits = fc.string({
  unit: fc.constantFrom(..."0123456789".split("")),
  minLength: 1,
  maxLength: 25,
});
const whole = digits.map((text) => text.replace(/^0+(?=\d)/, ""));
const nearLargest = fc.integer({ min: -3, max: 3 }).map((by) => String(2n ** 53n + BigInt(by)));
const numberText = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(whole, nearLargest, fc.nat(2000).map(String)),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant("") },
      digits.map((text) => `.${text}`),
    ),
    fc.constantFrom("", "", "", "e0", "E+3", "e-2", "e15"),
  )
  .map((parts): Text => {
    const text = parts.join("");
    return { text, value: readLiteral(text) };
  });

const wordText = fc.constantFrom<Text>(
  { text: "null", value: null },
  { text: "true", value: true },
  { text: "false", value: false },
);

const { value, object } = fc.letrec<{ value: Text; object: Text<Record<string, JsonValue>> }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: "small", withCrossShrink: true },
      wordText,
      numberText,
      stringText,
      fc.array(fc.tuple(innerGap, tie("value"), innerGap), { maxLength: 4 }).map(
        (elements): Text => ({
          text: `[${elements.map(([before, { text }, after]) => before + text + after).join(",")}]`,
          value: elements.map(([, element]) => element.value),
        }),
      ),
      tie("object"),
    ),
    object: fc
      .array(
        anyKey.chain((key) => memberOf(key, tie("value"))),
        { maxLength: 4 },
      )
      .chain((members) =>
        fc.array(fc.tuple(innerGap, innerGap), gapsFor(members.length)).map((gaps) => ({
          text: textOf(members, gaps),
          value: valueOf(members),
        })),
      ),
  }),
);

export const anyText: fc.Arbitrary<Text> = value;
export const anyObjectText: fc.Arbitrary<Text<Record<string, JsonValue>>> = object;
export const anyStringText: fc.Arbitrary<Text> = stringText;

/** One member as written, from the first quote of its key to the end of its value. */
export interface MemberText<T = JsonValue> {
  readonly key: string;
  /** The key, the colon and the space around it. */
  readonly head: string;
  readonly value: Text<T>;
}

export function memberOf<T>(
  key: string,
  values: fc.Arbitrary<Text<T>>,
): fc.Arbitrary<MemberText<T>> {
  return fc
    .tuple(spelled(key), innerGap, innerGap, values)
    .map(([quoted, before, after, text]) => ({
      key,
      head: `${quoted}${before}:${after}`,
      value: text,
    }));
}

export function gapsFor(length: number): {
  readonly minLength: number;
  readonly maxLength: number;
} {
  return { minLength: length, maxLength: length };
}

/** An object of members, each between two gaps. */
export function textOf(
  members: readonly MemberText<unknown>[],
  gaps: readonly (readonly [string, string])[],
): string {
  const texts = members.map(({ head, value: { text } }, at) => {
    const [before, after] = gaps[at] ?? ["", ""];
    return `${before}${head}${text}${after}`;
  });
  return `{${texts.join(",")}}`;
}

/** Of duplicate keys the last one counts. */
export function valueOf<T>(members: readonly MemberText<T>[]): Record<string, T> {
  return objectOf(members.map(({ key, value: { value: held } }) => [key, held]));
}
