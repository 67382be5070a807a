import { amendEnvelope, decodeEnvelope, encodeEnvelope } from "@babelqueue/core";
import { describe, expect, test } from "vitest";
import { block } from "../block.js";
import type { BodySource } from "../folder.js";
import { canonical, valueAt } from "../json.js";
import { expectProducible } from "../schema.js";

interface Case extends BodySource {
  readonly name: string;
  readonly expect_attempts: number;
  readonly expect_preserved: Readonly<Record<string, unknown>>;
  readonly producer_schema_valid?: boolean;
}

/** Passing a message on with one attempt more: its values written anew, and its text edited. */
const ways = {
  encodeEnvelope: (body: string): string => {
    const envelope = decodeEnvelope(body);
    return encodeEnvelope({ ...envelope, attempts: envelope.attempts + 1 });
  },
  amendEnvelope: (body: string): string =>
    amendEnvelope(body, { attempts: decodeEnvelope(body).attempts + 1 }),
};

export const roundtrip = block<{ readonly cases: readonly Case[] }>({
  key: "roundtrip",
  subject: "decode, one attempt more, emit",
  define: ({ cases }, folder) => {
    describe.each(Object.entries(ways))("%s", (_way, pass) => {
      test.each(cases)("$name", (given) => {
        const emitted = pass(folder.bodyOf(given));
        const document: unknown = JSON.parse(emitted);
        expect(valueAt(document, "/attempts")).toBe(given.expect_attempts);
        expect(decodeEnvelope(emitted).attempts).toBe(given.expect_attempts);
        for (const [pointer, value] of Object.entries(given.expect_preserved)) {
          expect(canonical(valueAt(document, pointer)), pointer).toBe(canonical(value));
        }
        if (given.producer_schema_valid ?? true) expectProducible(folder, emitted);
      });
    });
  },
});
