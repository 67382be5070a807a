/**
 * Finds its way in JSON text that JSON.parse has already taken. Nothing here checks the text, and
 * nothing recurses, so nesting of any depth is fine.
 */

/** A member of an object: where its key begins, and where its value begins and ends. */
export interface MemberSpan {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** The end (exclusive) of the string whose opening quote stands at `start`. */
function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
}

/** The end (exclusive) of the number, `true`, `false` or `null` that begins at `start`. */
function literalEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code)) break;
  }
  return at;
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(text, at);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        at += 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        at += 1;
        break;
      default:
        at = depth === 0 ? literalEnd(text, at) : at + 1;
    }
  } while (depth > 0);
  return at;
}

function readString(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : inner;
}

/** Where the first value of the text begins. */
export function valueStart(text: string): number {
  return skipSpace(text, 0);
}

export function isObjectAt(text: string, start: number): boolean {
  return text.charCodeAt(start) === OPEN_BRACE;
}

/** The members of the object whose brace opens at `start`, in order, duplicate keys and all. */
export function membersOf(text: string, start: number): MemberSpan[] {
  const members: MemberSpan[] = [];
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const keyEnd = stringEnd(text, at);
    const colon = skipSpace(text, keyEnd);
    const value = skipSpace(text, colon + 1);
    const end = valueEnd(text, value);
    members.push({ key: readString(text, at, keyEnd), start: at, valueStart: value, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return members;
}

type Container = unknown[] | Record<string, unknown>;

/**
 * JSON.parse, but for integer literals (no fraction, no exponent) outside ±(2^53−1): they become
 * `bigint`. JSON.parse itself can show a reviver the source text only from Node 21 on.
 */
function parseWithBigints(text: string): unknown {
  const root: unknown[] = [];
  const open: { readonly container: Container; key: string | undefined }[] = [];
  let top: { readonly container: Container; key: string | undefined } = {
    container: root,
    key: undefined,
  };
  const add = (value: unknown): void => {
    if (Array.isArray(top.container)) {
      top.container.push(value);
    } else {
      setMember(top.container, top.key ?? "", value);
      top.key = undefined;
    }
  };
  const enter = (container: Container): void => {
    add(container);
    open.push(top);
    top = { container, key: undefined };
  };
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === COLON || isSpace(code)) {
      at += 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      enter(code === OPEN_BRACE ? {} : []);
      at += 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      top = open.pop() ?? top;
      at += 1;
    } else if (code === QUOTE) {
      const end = stringEnd(text, at);
      const string = readString(text, at, end);
      if (!Array.isArray(top.container) && top.key === undefined) top.key = string;
      else add(string);
      at = end;
    } else {
      const end = literalEnd(text, at);
      add(readLiteral(text.slice(at, end)));
      at = end;
    }
  }
  return root[0];
}

/** As JSON.parse: `__proto__` is a key like any other. */
function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else {
    object[key] = value;
  }
}

function readLiteral(literal: string): unknown {
  const value: unknown = JSON.parse(literal);
  return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(literal)
    ? BigInt(literal)
    : value;
}

/** An integer literal of 16 digits or more; may match within a string too, which costs only time. */
const LARGE_INTEGER = /[:,[\s]-?\d{16,}[\s,\]}]/;

/** JSON.parse that rounds no integer: those outside ±(2^53−1) become `bigint`. */
export function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  return LARGE_INTEGER.test(text) ? parseWithBigints(text) : parsed;
}
