import { amendEnvelope, decodeEnvelope, encodeEnvelope, type Warning } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { expectAbsent, expectValues, type Values } from "../expect-values.js";
import type { BodySource } from "../folder.js";
import { valueAt } from "../json.js";
import { expectProducible } from "../schema.js";

interface Case extends BodySource {
  readonly name: string;
  /** One pointer; own vectors may list several. */
  readonly forbidden_key: string | readonly string[];
  readonly expect: "warn" | "none";
  readonly expect_absent_after_reencode: readonly string[];
  readonly expect_preserved?: Values;
  readonly expect_kept?: readonly string[];
}

export const forbiddenKeys = block<{ readonly cases: readonly Case[] }>({
  key: "forbidden_keys",
  subject: "dropped with a warning, never emitted",
  define: ({ cases }, folder) => {
    test.each(cases)("$name", (given) => {
      const body = folder.bodyOf(given);
      const warnings: Warning[] = [];
      const envelope = decodeEnvelope(body, { onWarning: (warning) => warnings.push(warning) });
      const pointers = given.expect === "warn" ? [given.forbidden_key].flat() : [];
      expect(warnings).toHaveLength(pointers.length);
      expect(new Set(warnings.map(({ pointer }) => pointer))).toEqual(new Set(pointers));
      for (const { code, message, pointer } of warnings) {
        expect(code).toBe("dropped_key");
        expect(message).toContain(pointer);
      }

      const emitted = [encodeEnvelope(envelope), amendEnvelope(body, { attempts: 1 })];
      for (const text of emitted) {
        const document: unknown = JSON.parse(text);
        expectAbsent(document, given.expect_absent_after_reencode);
        expectValues(document, given.expect_preserved ?? {});
        for (const pointer of given.expect_kept ?? []) {
          expect(valueAt(document, pointer), pointer).toBeDefined();
        }
        expectProducible(folder, text);
      }
    });
  },
});
