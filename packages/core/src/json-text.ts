/** Finds its way in JSON text that JSON.parse has already taken: nothing here checks the text. */

/** A member of an object: where its key begins, and where its value begins and ends. */
export interface MemberSpan {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** Strings, braces and brackets, and all other literals. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]|[^\s",:{}[\]]+/g;

/** The members of the object that the text holds, in order, duplicate keys and all. */
export function membersOf(text: string): MemberSpan[] {
  const members: MemberSpan[] = [];
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  let valueStart = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const before = depth;
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (key === undefined) {
      if (before !== 1 || depth !== 1) continue;
      key = JSON.parse(token) as string;
      start = index;
      continue;
    }
    if (before === 1) valueStart = index;
    if (depth === 1) {
      members.push({ key, start, valueStart, end: index + token.length });
      key = undefined;
    }
  }
  return members;
}

/** Integer literals of 16 digits or more, and strings, so that none is found within one. */
const STRING_OR_LARGE = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** The quick look: is there such an integer, perhaps within a string? */
const LARGE_INTEGER = /[:,[\s]-?\d{16,}[\s,\]}]/;

/**
 * JSON.parse that rounds no integer: literals without fraction and exponent outside ±(2^53−1) become
 * `bigint`. JSON.parse itself can show a reviver the source text only from Node 21 on.
 */
export function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!LARGE_INTEGER.test(text)) return parsed;
  // nobody can have written it
  const mark = crypto.randomUUID();
  const marked = text.replace(STRING_OR_LARGE, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${mark}${token}"`,
  );
  const root = { value: JSON.parse(marked) as unknown };
  readMarked(root, mark);
  return root.value;
}

/** Without recursion, so that nesting of any depth is fine. */
function readMarked(root: object, mark: string): void {
  const containers = [root as Record<string, unknown>];
  for (const container of containers) {
    for (const [key, value] of Object.entries(container)) {
      if (typeof value === "object" && value !== null) {
        containers.push(value as Record<string, unknown>);
      } else if (typeof value === "string" && value.startsWith(mark)) {
        container[key] = BigInt(value.slice(mark.length));
      }
    }
  }
}
