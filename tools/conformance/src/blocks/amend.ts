import { amendEnvelope, type DeadLetter } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import type { BodySource } from "../folder.js";
import { rejectionOf } from "../rejection.js";

interface Case extends BodySource {
  readonly name: string;
  readonly changes: { readonly attempts?: number; readonly dead_letter?: DeadLetter | null };
  /** The amended text, byte for byte. */
  readonly expect?: string;
  readonly error?: string;
}

export const amend = block<{ readonly cases: readonly Case[] }>({
  key: "amend",
  subject: "amendEnvelope keeps every other byte",
  define: ({ cases }, folder) => {
    test.each(cases)("$name", (given) => {
      const { attempts, dead_letter: deadLetter } = given.changes;
      const run = (): string => amendEnvelope(folder.bodyOf(given), { attempts, deadLetter });
      if (given.error === undefined) expect(run()).toBe(given.expect);
      else expect(rejectionOf(run)).toBe(given.error);
    });
  },
});
