import { InvalidPayloadError } from "../errors.js";
import { describe, isObject } from "./json.js";
import { randomMark } from "./json-text.js";

/**
 * Deeper nesting is refused at publish. JSON.stringify recurses, and gives up somewhere beyond; the
 * readers of other languages stop sooner (PHP at 512, Python and Java near 1000).
 */
const MAX_DEPTH = 1000;

/** Reading a payload runs code of others: getters, toJSON, traps of a Proxy. */
const UNREADABLE = "could not be read; see cause";

const UNFIT = ", which JSON cannot carry";

/** Something that JSON cannot carry; the pointer to it grows on the way back up. */
interface Problem {
  pointer: string;
  readonly text: string;
  readonly options?: ErrorOptions | undefined;
}

/** What the search is within, and what it came across. */
interface Search {
  readonly ancestors: object[];
  /** A `bigint`, or a number whose shortest digits are those of another integer. */
  hasLarge: boolean;
}

interface WithToJson {
  toJSON(key: string): unknown;
}

/** A string in an object, a number in an array. */
type Key = string | number;

/** Refused whatever keys were put on them. */
const NEVER_JSON = / (Map|Set|Error|Promise|RegExp|String|Number|Boolean|BigInt|Symbol)\]$/;

/**
 * Throws {@link InvalidPayloadError} unless `data` is a JSON object or becomes one by its `toJSON`.
 * What is nested in it is not looked at.
 */
export function assertPayload(data: unknown): void {
  const problem = reading(() => {
    const written = hasToJson(data) ? data.toJSON("data") : data;
    if (isObject(written) && !isEmptied(written)) return undefined;
    const by = hasToJson(data) ? ", by its toJSON" : "";
    return `must be a JSON object, and is ${describe(written)}${by}`;
  });
  if (problem !== undefined) throw new InvalidPayloadError("/data", problem);
}

/**
 * JSON.stringify that throws {@link InvalidPayloadError} where it would write `null`, leave something
 * out, or make `{}` of an object that holds more; and that writes a `bigint` as an integer. U+FFFE,
 * U+FFFF and lone surrogates come out escaped, since no broker carries them.
 */
export function stringifyExactly(value: object): string {
  const search: Search = { ancestors: [], hasLarge: false };
  const problem = reading(() => inspect(value, "", search));
  if (problem !== undefined) {
    throw new InvalidPayloadError(problem.pointer, problem.text, problem.options);
  }
  const json = reading(() => (search.hasLarge ? stringifyBigints(value) : JSON.stringify(value)));
  return json.replace(/[\uFFFE\uFFFF]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new InvalidPayloadError("/data", UNREADABLE, { cause });
  }
}

/** JSON.rawJSON would do, but Node 20 has none: so strings that nobody can have written. */
function stringifyBigints(value: object): string {
  const mark = randomMark();
  const marked = JSON.stringify(value, markBigints(mark));
  return marked.replace(RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

/** Looks at the holder's own value, since a patched BigInt.prototype.toJSON comes first. */
function markBigints(mark: string) {
  return function (this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
    const held = this[key];
    const integer = typeof held === "bigint" ? held : value;
    const isMarked = typeof integer === "number" ? isLarge(integer) : typeof integer === "bigint";
    return isMarked ? `${mark}${BigInt(integer as number)}` : value;
  };
}

/** JavaScript writes it in full, but not with all its digits. */
function isLarge(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < 1e21;
}

/** The step to a member in a JSON pointer (RFC 6901). */
export function stepTo(key: Key): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function inspect(value: unknown, key: Key, search: Search): Problem | undefined {
  switch (typeof value) {
    case "object":
      if (value === null) return undefined;
      return hasToJson(value)
        ? inspectReplacement(value, key, search)
        : inspectObject(value, search);
    case "bigint":
      search.hasLarge = true;
      return undefined;
    case "string":
    case "boolean":
      return undefined;
    case "number":
      search.hasLarge ||= isLarge(value);
      return Number.isFinite(value) ? undefined : unfit(value);
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
  const isNamed = typeof value === "number" || value === undefined;
  return problemOf(`is ${isNamed ? value : describe(value)}${UNFIT}`);
}

function inspectReplacement(value: WithToJson, key: Key, search: Search): Problem | undefined {
  let replacement: unknown;
  try {
    replacement = value.toJSON(String(key));
  } catch (cause) {
    return problemOf(UNREADABLE, { cause });
  }
  if (replacement === undefined && typeof key === "string") return undefined;
  if (replacement === null && value instanceof Date) return problemOf(`is an invalid Date${UNFIT}`);
  // as in JSON.stringify, the replacement's own toJSON is not called
  return typeof replacement === "object" && replacement !== null
    ? inspectObject(replacement, search)
    : inspect(replacement, key, search);
}

function inspectObject(value: object, search: Search): Problem | undefined {
  const { ancestors } = search;
  if (isEmptied(value)) return unfit(value);
  if (ancestors.includes(value)) return problemOf("holds itself");
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

/** Would JSON.stringify make `{}` of an object that holds more: of a Map, a Promise, a boxed NaN? */
function isEmptied(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype) return false;
  const tag = Object.prototype.toString.call(value);
  return (
    ArrayBuffer.isView(value) ||
    NEVER_JSON.test(tag) ||
    (tag !== "[object Object]" && !Array.isArray(value) && Object.keys(value).length === 0)
  );
}
