import { createEnvelope, encodeEnvelope, SOURCE_LANG } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { expectValues, type Values } from "../expect-values.js";
import { ways } from "../passing-on.js";
import { expectProducible } from "../schema.js";

interface Case {
  readonly name: string;
  readonly urn: string;
  readonly queue: string;
  readonly data: object;
  /** Keys of the producer's own in `meta`. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly expect_envelope: Values;
}

export const extensionWrite = block<{ readonly cases: readonly Case[] }>({
  key: "extension_write",
  subject: "keys of one's own in meta",
  define: ({ cases }, folder) => {
    test.each(cases)("$name", ({ urn, queue, data, meta, expect_envelope: expected }) => {
      const envelope = createEnvelope(urn, data, { queue, meta });
      const text = encodeEnvelope(envelope);
      expect(envelope.meta).toMatchObject({ queue, lang: SOURCE_LANG, schema_version: 1 });
      expectValues(JSON.parse(text), expected);
      expectProducible(folder, text);

      for (const passOn of Object.values(ways)) {
        const passedOn = passOn(text);
        expectValues(JSON.parse(passedOn), { ...expected, "/attempts": 1 });
        expectProducible(folder, passedOn);
      }
    });
  },
});
