import { requireOneOf } from "../arguments.js";

/**
 * What becomes of a valid message that no handler is registered for (docs/wire-contract.md §4).
 * `DELETE` deletes poison and version-gated messages, too.
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
  requireOneOf("unknownUrnStrategy", Object.values(UnknownUrnStrategy), value);
}
