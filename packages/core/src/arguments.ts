import { describe, isObject } from "./envelope/json.js";
import { InvalidArgumentError, quote } from "./errors.js";

/** An argument that is not what was expected; by default its kind is shown. */
export function unexpected(
  argument: string,
  expected: string,
  value: unknown,
  got: string = describe(value),
): InvalidArgumentError {
  return new InvalidArgumentError(argument, `expected ${expected}, got ${got}`);
}

/** @throws {@link InvalidArgumentError} for what cannot be called. */
export function requireFunction<T>(argument: string, expected: string, value: T): T {
  if (typeof value === "function") return value;
  throw unexpected(argument, expected, value);
}

/** @throws {@link InvalidArgumentError} for what has no members of its own, such as a Map. */
export function requireRecord(argument: string, expected: string, value: unknown): void {
  if (!isObject(value) || Symbol.iterator in value) throw unexpected(argument, expected, value);
}

/** @throws {@link InvalidArgumentError} for a value that is none of these. */
export function requireOneOf(argument: string, known: readonly string[], value: unknown): void {
  if (known.includes(value as string)) return;
  const got = typeof value === "string" ? quote(value) : undefined;
  throw unexpected(argument, `one of ${known.join(", ")}`, value, got);
}
