import { expect } from "vitest";
import { canonical, valueAt } from "./json.js";

/** Values by JSON pointer. */
export type Values = Readonly<Record<string, unknown>>;

/** The document has these values, of the same JSON types, at these pointers. */
export function expectValues(document: unknown, values: Values): void {
  for (const [pointer, value] of Object.entries(values)) {
    expect(canonical(valueAt(document, pointer)), pointer).toBe(canonical(value));
  }
}

/** These pointers lead nowhere in the document. */
export function expectAbsent(document: unknown, pointers: readonly string[]): void {
  for (const pointer of pointers) expect(valueAt(document, pointer), pointer).toBeUndefined();
}
