import { InvalidPayloadError } from "./errors.js";
import { describe, isObject } from "./json.js";

/**
 * Deeper nesting is refused at publish. JSON.stringify recurses, and gives up somewhere beyond; the
 * readers of other languages stop sooner (PHP at 512, Python and Java near 1000).
 */
const MAX_DEPTH = 1000;

/** Objects that JSON.stringify takes without a word and empties; boxed primitives, which hide NaN. */
const REFUSED =
  /^\[object (?:(?:Weak)?(?:Map|Set|Ref)|(?:Shared)?ArrayBuffer|Promise|RegExp|Error|Number|String|Boolean|Symbol|BigInt|.* Iterator|.*Generator)\]$/;

/** A value that JSON cannot carry, and the way to it from the innermost key outwards. */
interface Problem {
  readonly text: string;
  readonly path: string[];
  readonly cause?: unknown;
}

interface WithToJson {
  toJSON(key: string): unknown;
}

/** A string in an object, a number in an array. */
type Key = string | number;

function hasToJson(value: object): value is WithToJson {
  return typeof (value as Partial<WithToJson>).toJSON === "function";
}

const THROWING_TO_JSON = "has a toJSON that throws; see cause";

/** What the search came across on the way. */
interface Sight {
  bigint: boolean;
}

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
    const sight: Sight = { bigint: false };
    const problem = inspect(value, "", [], sight);
    if (problem !== undefined) throw toError(problem);
    return escapeNoncharacters(sight.bigint ? stringifyBigints(value) : JSON.stringify(value));
  } catch (error) {
    if (error instanceof InvalidPayloadError) throw error;
    throw new InvalidPayloadError("/data", "could not be read; see cause", { cause: error });
  }
}

function escapeNoncharacters(json: string): string {
  return json.replace(/[\uFFFE\uFFFF]/g, (char) => (char === "\uFFFE" ? "\\ufffe" : "\\uffff"));
}

/** JSON.rawJSON would do, but Node 20 has none: so strings that nothing else can equal. */
function stringifyBigints(value: object): string {
  const others = JSON.stringify(
    value,
    replaceBigints(() => null),
  );
  let mark = "\uFFFF";
  while (others.includes(mark)) mark += "\uFFFF";
  const marked = JSON.stringify(
    value,
    replaceBigints((integer) => `${mark}${integer}`),
  );
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

/** Looks at the holder's own value, since a patched BigInt.prototype.toJSON comes first. */
function replaceBigints(replace: (integer: bigint) => string | null) {
  return function (this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
    const held = this[key];
    const integer = typeof held === "bigint" ? held : value;
    return typeof integer === "bigint" ? replace(integer) : value;
  };
}

function toError({ path, text, cause }: Problem): InvalidPayloadError {
  const pointer = pointerOf("", path.reverse());
  return new InvalidPayloadError(pointer, text, cause === undefined ? undefined : { cause });
}

/** The JSON pointer (RFC 6901) of what lies below `parent`. */
export function pointerOf(parent: string, keys: readonly string[]): string {
  const below = keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return parent + below.join("");
}

function inspect(value: unknown, key: Key, ancestors: object[], sight: Sight): Problem | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : found(`is ${value}, which JSON cannot carry`);
    case "bigint":
      sight.bigint = true;
      return undefined;
    case "object":
      return value === null ? undefined : inspectObject(value, key, ancestors, sight);
    case "undefined":
    case "function":
    case "symbol":
      return found(`is ${kindOf(value)}, which JSON cannot carry`);
  }
}

function inspectObject(
  value: object,
  key: Key,
  ancestors: object[],
  sight: Sight,
): Problem | undefined {
  if (isRefused(value)) return found(`is ${kindOf(value)}, which JSON cannot carry`);
  if (hasToJson(value)) return inspectReplacement(value, key, ancestors, sight);
  return inspectMembers(value, ancestors, sight);
}

function inspectReplacement(
  value: WithToJson,
  key: Key,
  ancestors: object[],
  sight: Sight,
): Problem | undefined {
  let replacement: unknown;
  try {
    replacement = value.toJSON(String(key));
  } catch (cause) {
    return { text: THROWING_TO_JSON, path: [], cause };
  }
  if (replacement === undefined && typeof key === "string") return undefined;
  // as in JSON.stringify, the replacement's own toJSON is not called
  return typeof replacement === "object" && replacement !== null && !isRefused(replacement)
    ? inspectMembers(replacement, ancestors, sight)
    : inspect(replacement, key, ancestors, sight);
}

function inspectMembers(value: object, ancestors: object[], sight: Sight): Problem | undefined {
  if (ancestors.includes(value)) return found("refers back to an object that holds it");
  if (ancestors.length >= MAX_DEPTH) return found(`is nested deeper than ${MAX_DEPTH} levels`);
  ancestors.push(value);
  const problem = Array.isArray(value)
    ? inspectElements(value, ancestors, sight)
    : inspectProperties(value as Readonly<Record<string, unknown>>, ancestors, sight);
  ancestors.pop();
  return problem;
}

function inspectElements(
  array: readonly unknown[],
  ancestors: object[],
  sight: Sight,
): Problem | undefined {
  for (let index = 0; index < array.length; index += 1) {
    const problem = inspect(array[index], index, ancestors, sight);
    if (problem !== undefined) return within(String(index), problem);
  }
  return undefined;
}

function inspectProperties(
  object: Readonly<Record<string, unknown>>,
  ancestors: object[],
  sight: Sight,
): Problem | undefined {
  // twice as fast as Object.keys
  for (const key in object) {
    if (!Object.hasOwn(object, key)) continue;
    const member = object[key];
    if (member === undefined) continue;
    const problem = inspect(member, key, ancestors, sight);
    if (problem !== undefined) return within(key, problem);
  }
  return undefined;
}

function found(text: string): Problem {
  return { text, path: [] };
}

function within(key: string, problem: Problem): Problem {
  problem.path.push(key);
  return problem;
}

function isRefused(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype) return false;
  return ArrayBuffer.isView(value) || REFUSED.test(Object.prototype.toString.call(value));
}

/** "a Map", "an array", "a function": the kind, never the value. */
function kindOf(value: unknown): string {
  if (!isObject(value)) return value === undefined ? "undefined" : describe(value);
  return `a ${Object.prototype.toString.call(value).slice("[object ".length, -1)}`;
}
