import { type Envelope, encodeEnvelope } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { rejectionOf } from "../rejection.js";

interface Case {
  readonly name: string;
  readonly envelope: Envelope;
  /** The text, byte for byte. */
  readonly expect?: string;
  readonly error?: string;
}

export const encode = block<{ readonly cases: readonly Case[] }>({
  key: "encode",
  subject: "encodeEnvelope, byte for byte",
  define: ({ cases }) => {
    test.each(cases)("$name", ({ envelope, expect: text, error }) => {
      if (error === undefined) expect(encodeEnvelope(envelope)).toBe(text);
      else expect(rejectionOf(() => encodeEnvelope(envelope))).toBe(error);
    });
  },
});
