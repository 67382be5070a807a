import { InvalidArgumentError } from "./errors.js";
import { describe } from "./json.js";

export function isNonBlank(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The URN without surrounding white space, or undefined where there is none. */
export function trimmedUrn(value: unknown): string | undefined {
  return (typeof value === "string" && value.trim()) || undefined;
}

/** The same for an argument. */
export function requireUrn(value: unknown): string {
  const urn = trimmedUrn(value);
  if (urn !== undefined) return urn;
  throw new InvalidArgumentError("urn", `expected a non-blank URN, got ${describe(value)}`);
}
