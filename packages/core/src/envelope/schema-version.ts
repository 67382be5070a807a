import { isBlank } from "./json.js";

/** The version of the envelope that this SDK writes and reads (docs/wire-contract.md §1, frozen). */
export const SCHEMA_VERSION = 1 as const;

/**
 * The gate before a body is decoded (docs/wire-contract.md §3): may a message that declares this
 * `bq-schema-version` be read here? Absent and blank say nothing, so they pass; anything else must
 * be exactly `1`, untrimmed. A message that passes still has its body's own version checked.
 */
export function acceptsSchemaVersion(declared: string | null | undefined): boolean {
  return declared === undefined || declared === null || declared === "1" || isBlank(declared);
}
