/** What a case expected did not come true. */
function fail(what: string): never {
  throw new Error(what);
}

export function expectTrue(isTrue: boolean, what: string): void {
  if (!isTrue) fail(`Expected that ${what}`);
}

/** Compares what JSON can carry, bigints too; the order of keys is of no account. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [show(actual), show(expected)];
  if (got !== wanted) fail(`${what}: expected ${wanted}, got ${got}`);
}

function show(value: unknown): string {
  // undefined has no text
  return JSON.stringify(value, replacer) ?? "undefined";
}

function replacer(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
