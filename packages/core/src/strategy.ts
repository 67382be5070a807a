import { InvalidArgumentError } from "./errors.js";
import { describe } from "./json.js";

/**
 * What becomes of a valid message that no handler is registered for (CONTRACT.md §4). With a
 * dead-letter queue, `DELETE` is also what makes poison and version-gated messages be deleted.
 */
export const UnknownUrnStrategy = {
  /** Report it and leave the message to the queue's redrive policy. */
  FAIL: "fail",
  /** Delete it. */
  DELETE: "delete",
  /** Make it visible again, for another consumer. */
  RELEASE: "release",
  /** Write it to the dead-letter queue, with a `dead_letter` block; without one, delete it. */
  DEAD_LETTER: "dead_letter",
} as const;

export type UnknownUrnStrategy = (typeof UnknownUrnStrategy)[keyof typeof UnknownUrnStrategy];

export function requireStrategy(value: unknown): void {
  const known = Object.values<unknown>(UnknownUrnStrategy);
  if (known.includes(value)) return;
  const got = typeof value === "string" ? JSON.stringify(value) : describe(value);
  const problem = `expected one of ${known.join(", ")}, got ${got}`;
  throw new InvalidArgumentError("unknownUrnStrategy", problem);
}
