/** Finds its way in JSON text that JSON.parse has already taken: nothing here checks the text. */

/**
 * What becomes of a member, from the text of its key (with the colon) and that of its value; undefined
 * removes it. A member that is missing is added, unless that comes to undefined.
 */
export type Edit = (key: string, value: string) => string | undefined;

/**
 * The text with each string blanked out, so that what is left of JSON is its structure; all else keeps
 * its place. Escapes first: a single expression for strings would keep state for each, and fail where
 * there are millions.
 */
function withoutStrings(text: string): string {
  return text.replace(/\\[^]/g, "__").replace(/"[^"]*?"/g, (string) => "_".repeat(string.length));
}

/** The object that the text holds with its members edited; of duplicate keys, each. */
export function editMembers(text: string, edits: ReadonlyMap<string, Edit>): string {
  const structure = /[{}[\],]/g;
  const bare = withoutStrings(text);
  const missing = new Map(edits);
  const head = text.indexOf("{") + 1;
  let edited = "";
  let depth = 0;
  let from = head;
  /** Where the last member ended. */
  let end = head;
  while (structure.test(bare)) {
    const at = structure.lastIndex - 1;
    const char = bare.charAt(at);
    if ("}]".includes(char)) depth -= 1;
    const isCut = depth === 0 || (depth === 1 && char === ",");
    const member = isCut ? text.slice(from, at).trim() : "";
    if (member !== "") {
      const start = text.indexOf(member, from);
      const colon = bare.indexOf(":", start);
      const value = member.slice(colon + 1 - start).trim();
      const key = JSON.parse(text.slice(start, colon)) as string;
      const edit = edits.get(key);
      const changed = edit ? edit(member.slice(0, member.length - value.length), value) : member;
      const gap = text.slice(end, start);
      // a removed member takes the comma before it along, or the one after it where none is kept before
      if (changed !== undefined) edited += (edited ? gap : gap.replace(",", "")) + changed;
      missing.delete(key);
      end = start + member.length;
      from = at + 1;
    }
    if ("{[".includes(char)) depth += 1;
  }
  const added = [...missing].map(([key, edit]) => edit(`"${key}":`, ""));
  return text.slice(0, head) + [edited, ...added].filter(Boolean).join(",") + text.slice(end);
}

/** Every escape but the halves of surrogate pairs that stand alone. */
const WHOLE_ESCAPES = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]|[^u]|u(?![dD][89a-fA-F]))/g;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Does the text hold half a surrogate pair, which no UTF-8 can carry? An escape counts as well. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text) || text.replace(WHOLE_ESCAPES, "").includes("\\");
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
  let marked = "";
  let end = 0;
  for (const { 0: found, index } of withoutStrings(text).matchAll(LARGE_INTEGER)) {
    const integer = found.slice(1);
    if (Number.isSafeInteger(Number(integer))) continue;
    marked += `${text.slice(end, index + 1)}"${mark}${integer}"`;
    end = index + found.length;
  }
  const root = { value: JSON.parse(marked + text.slice(end)) as unknown };
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
