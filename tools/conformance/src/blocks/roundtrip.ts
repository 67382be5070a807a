import {
  type DeadLetter,
  type DeadLetterReason,
  decodeEnvelope,
  SOURCE_LANG,
  type Warning,
} from "@babelqueue/core";
import { describe, expect, test } from "vitest";
import { block } from "../block.js";
import { expectAbsent, expectValues, type Values } from "../expect-values.js";
import type { BodySource } from "../folder.js";
import { valueAt } from "../json.js";
import { ways } from "../passing-on.js";
import { expectProducible } from "../schema.js";

interface Case extends BodySource {
  readonly name: string;
  readonly expect_attempts: number;
  readonly expect_preserved: Values;
  readonly expect_absent_after_reencode?: readonly string[];
  /** The message goes to a dead-letter queue, and the copy there is what is looked at. */
  readonly apply_dead_letter?: {
    readonly reason: DeadLetterReason;
    readonly original_queue: string;
  };
  readonly expect_dead_letter?: Values;
  readonly producer_schema_valid?: boolean;
}

function deadLetterOf({ apply_dead_letter: given, expect_attempts: attempts }: Case) {
  if (given === undefined) return undefined;
  const unknown = { error: null, exception: null, failed_at: Date.now(), attempts };
  return { ...given, ...unknown, lang: SOURCE_LANG } satisfies DeadLetter;
}

export const roundtrip = block<{ readonly cases: readonly Case[] }>({
  key: "roundtrip",
  subject: "decode, one attempt more, emit",
  define: ({ cases }, folder) => {
    describe.each(Object.entries(ways))("%s", (_way, passOn) => {
      test.each(cases)("$name", (given) => {
        const body = folder.bodyOf(given);
        const warnings: Warning[] = [];
        decodeEnvelope(body, { onWarning: (warning) => warnings.push(warning) });
        expect(warnings).toEqual([]);

        const emitted = passOn(body, deadLetterOf(given));

        const document: unknown = JSON.parse(emitted);
        expect(valueAt(document, "/attempts")).toBe(given.expect_attempts);
        expect(decodeEnvelope(emitted).attempts).toBe(given.expect_attempts);
        expectValues(document, given.expect_preserved);
        expectAbsent(document, given.expect_absent_after_reencode ?? []);
        if (given.expect_dead_letter !== undefined) {
          expectValues(valueAt(document, "/dead_letter"), byPointer(given.expect_dead_letter));
        }
        if (given.producer_schema_valid ?? true) expectProducible(folder, emitted);
      });
    });
  },
});

/** Values by name as values by pointer. */
function byPointer(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`/${name}`, value]));
}
