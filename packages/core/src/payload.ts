import { InvalidPayloadError } from "./errors.js";
import { describe, isObject } from "./json.js";

/**
 * Deeper nesting is refused at publish. JSON.stringify recurses, and gives up somewhere beyond; the
 * readers of other languages stop sooner (PHP at 512, Python and Java near 1000).
 */
const MAX_DEPTH = 1000;

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

function hasToJson(value: object): value is WithToJson {
  return typeof (value as Partial<WithToJson>).toJSON === "function";
}

const UNFIT = ", which JSON cannot carry";
const THROWING_TO_JSON = "has a toJSON that throws; see cause";

/**
 * Throws {@link InvalidPayloadError} unless `data` is a JSON object or becomes one by its `toJSON`.
 * What is nested in it is not looked at.
 */
export function assertPayload(data: unknown): void {
  if (!isObject(data) || isRefused(data)) throw notAnObject(kindOf(data));
  if (hasToJson(data) && !isObject(replacementOf(data))) {
    throw notAnObject(`${kindOf(data)}, whose toJSON returns none`);
  }
}

function replacementOf(data: WithToJson): unknown {
  try {
    return data.toJSON("data");
  } catch (cause) {
    throw new InvalidPayloadError("/data", THROWING_TO_JSON, { cause });
  }
}

function notAnObject(received: string): InvalidPayloadError {
  return new InvalidPayloadError("/data", `must be a JSON object, and is ${received}`);
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
    if (cause instanceof InvalidPayloadError) throw cause;
    throw new InvalidPayloadError("/data", "could not be read; see cause", { cause });
  }
}

/** JSON.rawJSON would do, but Node 20 has none: so strings that nobody can have written. */
function stringifyBigints(value: object): string {
  const mark = crypto.randomUUID();
  const marked = JSON.stringify(value, markBigints(mark));
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
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
      return Number.isFinite(value) ? undefined : problemOf(`is ${value}${UNFIT}`);
    case "bigint":
      search.hasBigint = true;
      return undefined;
    case "object":
      if (value === null) return undefined;
      if (isRefused(value)) break;
      return hasToJson(value)
        ? inspectReplacement(value, key, search)
        : inspectMembers(value, search);
    case "undefined":
    case "function":
    case "symbol":
  }
  return problemOf(`is ${kindOf(value)}${UNFIT}`);
}

function problemOf(text: string, options?: ErrorOptions): Problem {
  return { pointer: "", text, options };
}

function inspectReplacement(value: WithToJson, key: Key, search: Search): Problem | undefined {
  let replacement: unknown;
  try {
    replacement = value.toJSON(String(key));
  } catch (cause) {
    return problemOf(THROWING_TO_JSON, { cause });
  }
  if (replacement === undefined && typeof key === "string") return undefined;
  // as in JSON.stringify, the replacement's own toJSON is not called
  return typeof replacement === "object" && replacement !== null && !isRefused(replacement)
    ? inspectMembers(replacement, search)
    : inspect(replacement, key, search);
}

function inspectMembers(value: object, search: Search): Problem | undefined {
  const { ancestors } = search;
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

/**
 * Objects that JSON.stringify takes without a word and empties (a Map, a Promise, a FormData), boxed
 * primitives, which hide NaN, and bytes, of which it makes an object of numbers.
 */
function isRefused(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype) return false;
  return (
    ArrayBuffer.isView(value) ||
    !(hasToJson(value) || Array.isArray(value) || tagOf(value) === "Object")
  );
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** "a Map", "an array", "a function": the kind, never the value. */
function kindOf(value: unknown): string {
  if (!isObject(value)) return value === undefined ? "undefined" : describe(value);
  return `a ${tagOf(value)}`;
}
