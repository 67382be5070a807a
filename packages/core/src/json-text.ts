/** Finds its way in JSON text that JSON.parse has already taken: nothing here checks the text. */

/** A member of an object: where its key begins, and where its value begins and ends. */
export interface MemberSpan {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/**
 * The end (exclusive) of the string whose opening quote stands at `start`. A regular expression would
 * do, but it keeps state for each escape, and fails where there are millions.
 */
function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === "\\") before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
}

/** The members of the object that the text holds, in order, duplicate keys and all. */
export function membersOf(text: string): MemberSpan[] {
  const structure = /["{}[\],]/g;
  const value = /[^\s:]/g;
  const members: MemberSpan[] = [];
  let key: string | undefined;
  let start = 0;
  let valueStart = 0;
  let depth = 0;
  while (structure.test(text)) {
    const at = structure.lastIndex - 1;
    const char = text[at];
    if (char === '"') {
      const end = stringEnd(text, at);
      structure.lastIndex = end;
      if (depth > 1 || key !== undefined) continue;
      key = JSON.parse(text.slice(at, end)) as string;
      start = at;
      value.lastIndex = end;
      valueStart = value.exec(text)?.index ?? end;
      continue;
    }
    if (char === "}" || char === "]") depth -= 1;
    if (key !== undefined && (depth === 0 || (depth === 1 && char === ","))) {
      const end = valueStart + text.slice(valueStart, at).trimEnd().length;
      members.push({ key, start, valueStart, end });
      key = undefined;
    }
    if (char === "{" || char === "[") depth += 1;
  }
  return members;
}

/**
 * An integer literal of 16 digits or more and what stands before it, or the like within a string.
 * Greedy, it would keep state for each digit, and fail where there are millions.
 */
const LARGE_INTEGER = /[:,[\s]-?\d{16}\d*?(?![\d.eE])/g;

/**
 * What JSON.parse made of the text, but with no integer rounded: literals without fraction and
 * exponent outside ±(2^53−1) become `bigint`. JSON.parse itself can show a reviver the source text
 * only from Node 21 on.
 */
export function withLargeIntegers(parsed: unknown, text: string): unknown {
  return text.search(LARGE_INTEGER) === -1 ? parsed : parseMarked(text);
}

function parseMarked(text: string): unknown {
  const mark = randomMark();
  let stringsTo = 0;
  let quote = text.indexOf('"');
  const marked = text.replace(LARGE_INTEGER, (found, index: number) => {
    while (quote !== -1 && quote < index) {
      stringsTo = stringEnd(text, quote);
      quote = text.indexOf('"', stringsTo);
    }
    const integer = found.slice(1);
    return stringsTo > index || Number.isSafeInteger(Number(integer))
      ? found
      : `${found.charAt(0)}"${mark}${integer}"`;
  });
  const root = { value: JSON.parse(marked) as unknown };
  readMarked(root, mark);
  return root.value;
}

/** How a string begins that nobody writes: with the character "delete", and random digits. */
export function randomMark(): string {
  return `\x7F${Math.random()}`;
}

/** Without recursion, so that nesting of any depth is fine. */
function readMarked(root: Record<string, unknown>, mark: string): void {
  const containers = [root];
  for (const container of containers) {
    for (const key of Object.keys(container)) {
      const value = container[key];
      if (typeof value === "object" && value !== null) {
        containers.push(value as Record<string, unknown>);
      } else if (typeof value === "string" && value.startsWith(mark)) {
        container[key] = BigInt(value.slice(mark.length));
      }
    }
  }
}
