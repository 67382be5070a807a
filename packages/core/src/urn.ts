import { InvalidArgumentError } from "./errors.js";
import { describe, isNonBlank } from "./json.js";

/** The URN without surrounding white space, or undefined where there is none. */
export function trimmedUrn(value: unknown): string | undefined {
  return isNonBlank(value) ? value.trim() : undefined;
}

/** The same for an argument. */
export function requireUrn(value: unknown): string {
  const urn = trimmedUrn(value);
  if (urn !== undefined) return urn;
  throw new InvalidArgumentError("urn", `expected a non-blank URN, got ${describe(value)}`);
}
