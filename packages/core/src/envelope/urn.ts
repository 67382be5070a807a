import { unexpected } from "../arguments.js";
import { isNonBlank, trim } from "./json.js";

/** The URN without surrounding white space, or undefined where there is none. */
export function trimmedUrn(value: unknown): string | undefined {
  return isNonBlank(value) ? trim(value) : undefined;
}

/** The same for an argument. */
export function requireUrn(value: unknown): string {
  const urn = trimmedUrn(value);
  if (urn !== undefined) return urn;
  throw unexpected("urn", "a non-blank URN", value);
}
