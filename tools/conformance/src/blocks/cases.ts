import { decodeEnvelope, encodeEnvelope, type Warning } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import type { BodySource } from "../folder.js";
import { canonical, valueAt } from "../json.js";
import { rejectionOf } from "../rejection.js";
import { expectProducible } from "../schema.js";

interface Case extends BodySource {
  readonly name: string;
  readonly valid: boolean;
  readonly error?: string;
  readonly producer_schema_valid?: boolean;
  /** Own: each warning, as its code and its pointer. */
  readonly warned?: readonly string[];
  readonly expect?: {
    readonly urn: string;
    readonly data: unknown;
    readonly attempts: number;
    readonly lang?: string;
    readonly schema_version: number;
    readonly trace_id?: string;
    readonly dead_letter?: Readonly<Record<string, unknown>>;
    readonly absent?: readonly string[];
  };
}

const silent = { onWarning: () => undefined };

export const cases = block<readonly Case[]>({
  key: "cases",
  subject: "decodeEnvelope",
  define: (list, folder) => {
    test.each(list)("$name", (given) => {
      const body = folder.bodyOf(given);
      if (!given.valid) {
        const rejection = rejectionOf(() => decodeEnvelope(body, silent));
        expect(rejection).toEqual(given.error ?? expect.any(String));
        return;
      }
      const warnings: string[] = [];
      const onWarning = ({ code, pointer }: Warning) => warnings.push(`${code} ${pointer}`);
      const envelope = decodeEnvelope(body, { onWarning });
      expect(warnings).toEqual(given.warned ?? warnings);
      const wanted = given.expect;
      if (wanted !== undefined) {
        expect(envelope.job).toBe(wanted.urn);
        expect(canonical(envelope.data)).toBe(canonical(wanted.data));
        expect(envelope.attempts).toBe(wanted.attempts);
        expect(envelope.meta.schema_version).toBe(wanted.schema_version);
        expect(envelope.meta.lang).toBe(wanted.lang);
        expect(envelope.trace_id).toBe(wanted.trace_id ?? envelope.trace_id);
        for (const [key, value] of Object.entries(wanted.dead_letter ?? {})) {
          expect(valueAt(envelope, `/dead_letter/${key}`), key).toEqual(value);
        }
        for (const pointer of wanted.absent ?? []) {
          expect(valueAt(envelope, pointer), pointer).toBeUndefined();
        }
      }
      if (given.producer_schema_valid ?? true) expectProducible(folder, encodeEnvelope(envelope));
    });
  },
});
