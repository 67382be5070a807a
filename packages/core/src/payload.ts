import { InvalidPayloadError } from "./errors.js";
import { describe, isObject } from "./json.js";
import { randomMark } from "./json-text.js";

/**
 * Deeper nesting is refused at publish. JSON.stringify recurses, and gives up somewhere beyond; the
 * readers of other languages stop sooner (PHP at 512, Python and Java near 1000).
 */
const MAX_DEPTH = 1000;

/** Reading a payload runs code of others: getters, toJSON, traps of a Proxy. */
const UNREADABLE = "could not be read; see cause";

/** Something that JSON cannot carry; the pointer to it grows on the way back up. */
interface Problem {
  pointer: string;
  readonly text: string;
  readonly options?: ErrorOptions | undefined;
}

/** What the search is within, and what it came across. */
interface Search {
  readonly ancestors: object[];
  hasBigint: boolean;
}

interface WithToJson {
  toJSON(key: string): unknown;
}

/** A string in an object, a number in an array. */
type Key = string | number;

/**
 * Objects that JSON.stringify takes without a word and empties, unless they have a toJSON; boxed
 * primitives, which hide NaN.
 */
const EMPTIED =
  /^((Weak)?(Map|Set|Ref)|(Shared)?ArrayBuffer|Promise|RegExp|Error|Date|Number|String|Boolean|Symbol|BigInt|URLSearchParams|Headers|FormData|Blob|File|[\w ]+Iterator|\w*Generator)$/;

/**
 * Throws {@link InvalidPayloadError} unless `data` is a JSON object or becomes one by its `toJSON`.
 * What is nested in it is not looked at.
 */
export function assertPayload(data: unknown): void {
  try {
    const written = hasToJson(data) ? data.toJSON("data") : data;
    if (isObject(written) && !isEmptied(written)) return;
    const by = written === data ? "" : ", by its toJSON";
    throw new InvalidPayloadError("/data", `must be a JSON object, and is ${kindOf(written)}${by}`);
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): InvalidPayloadError {
  return cause instanceof InvalidPayloadError
    ? cause
    : new InvalidPayloadError("/data", UNREADABLE, { cause });
}

/**
 * JSON.stringify that loses nothing: throws {@link InvalidPayloadError} where it would write `null`
 * or leave out what was given, and writes a `bigint` as an integer. U+FFFE, U+FFFF and lone
 * surrogates come out escaped, since no broker carries them.
 */
export function stringifyExactly(value: object): string {
  try {
    const search: Search = { ancestors: [], hasBigint: false };
    const problem = inspect(value, "", search);
    if (problem !== undefined) {
      throw new InvalidPayloadError(problem.pointer, problem.text, problem.options);
    }
    const json = search.hasBigint ? stringifyBigints(value) : JSON.stringify(value);
    return json.replace(/[\uFFFE\uFFFF]/g, (char) => (char === "\uFFFE" ? "\\ufffe" : "\\uffff"));
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** JSON.rawJSON would do, but Node 20 has none: so strings that nobody can have written. */
function stringifyBigints(value: object): string {
  const mark = randomMark();
  const [json = "", ...integers] = JSON.stringify(value, markBigints(mark)).split(`"${mark}`);
  // the next quote ends the marked string
  return json + integers.map((integer) => integer.replace('"', "")).join("");
}

/** Looks at the holder's own value, since a patched BigInt.prototype.toJSON comes first. */
function markBigints(mark: string) {
  return function (this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
    const held = this[key];
    const integer = typeof held === "bigint" ? held : value;
    return typeof integer === "bigint" ? `${mark}${integer}` : value;
  };
}

/** The step to a member in a JSON pointer (RFC 6901). */
export function stepTo(key: Key): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function inspect(value: unknown, key: Key, search: Search): Problem | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : unfit(value);
    case "bigint":
      search.hasBigint = true;
      return undefined;
    case "object":
      if (value === null) return undefined;
      return hasToJson(value)
        ? inspectReplacement(value, key, search)
        : inspectObject(value, search);
    case "undefined":
    case "function":
    case "symbol":
      return unfit(value);
  }
}

function problemOf(text: string, options?: ErrorOptions): Problem {
  return { pointer: "", text, options };
}

function unfit(value: unknown): Problem {
  const what = typeof value === "number" ? value : kindOf(value);
  return problemOf(`is ${what}, which JSON cannot carry`);
}

function inspectReplacement(value: WithToJson, key: Key, search: Search): Problem | undefined {
  let replacement: unknown;
  try {
    replacement = value.toJSON(String(key));
  } catch (cause) {
    return problemOf(UNREADABLE, { cause });
  }
  if (replacement === undefined && typeof key === "string") return undefined;
  // as in JSON.stringify, the replacement's own toJSON is not called
  return typeof replacement === "object" && replacement !== null
    ? inspectObject(replacement, search)
    : inspect(replacement, key, search);
}

function inspectObject(value: object, search: Search): Problem | undefined {
  const { ancestors } = search;
  if (isEmptied(value)) return unfit(value);
  if (ancestors.includes(value)) return problemOf("refers back to an object that holds it");
  if (ancestors.length >= MAX_DEPTH) return problemOf(`is nested deeper than ${MAX_DEPTH} levels`);
  ancestors.push(value);
  const problem = Array.isArray(value)
    ? inspectElements(value, search)
    : inspectProperties(value as Readonly<Record<string, unknown>>, search);
  ancestors.pop();
  return problem;
}

function inspectElements(array: readonly unknown[], search: Search): Problem | undefined {
  for (let index = 0; index < array.length; index += 1) {
    const problem = inspect(array[index], index, search);
    if (problem !== undefined) return below(index, problem);
  }
  return undefined;
}

function inspectProperties(
  object: Readonly<Record<string, unknown>>,
  search: Search,
): Problem | undefined {
  // twice as fast as Object.keys
  for (const key in object) {
    if (!Object.hasOwn(object, key)) continue;
    const member = object[key];
    if (member === undefined) continue;
    const problem = inspect(member, key, search);
    if (problem !== undefined) return below(key, problem);
  }
  return undefined;
}

function below(key: Key, problem: Problem): Problem {
  problem.pointer = stepTo(key) + problem.pointer;
  return problem;
}

/** One that counts: bytes have a toJSON too, which makes an object of numbers of them. */
function hasToJson(value: unknown): value is WithToJson {
  return (
    typeof (value as Partial<WithToJson> | null | undefined)?.toJSON === "function" &&
    !ArrayBuffer.isView(value)
  );
}

function isEmptied(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype) return false;
  return ArrayBuffer.isView(value) || EMPTIED.test(tagOf(value));
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** "a Map", "an array", "a function": the kind, never the value, nor what a class says of itself. */
function kindOf(value: unknown): string {
  return isObject(value) && isEmptied(value) ? `a ${tagOf(value)}` : describe(value);
}
