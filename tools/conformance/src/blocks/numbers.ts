import { amendEnvelope, decodeEnvelope, encodeEnvelope } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { valueAt } from "../json.js";

interface Numbers {
  /** An envelope with `%NUMBER%` and `%ATTEMPTS%` (0 as received) in it. */
  readonly template: string;
  /** Where `%NUMBER%` stands. */
  readonly pointer: string;
  readonly cases: readonly {
    readonly name: string;
    readonly literal: string;
    /** `exact`: an integer beyond a double. `double`: what an IEEE 754 double makes of it. */
    readonly type: "exact" | "double";
    /** What it is re-encoded as. */
    readonly encoded: string;
    /** The same where large integers are read as doubles on request; default as `encoded`. */
    readonly encoded_as_double?: string;
  }[];
}

export const numbers = block<Numbers>({
  key: "numbers",
  subject: "no integer is silently rounded",
  define: ({ template, pointer, cases }) => {
    const write = (number: string, attempts: number): string =>
      template.replace("%NUMBER%", number).replace("%ATTEMPTS%", String(attempts));

    test.each(cases)("$name", ({ literal, type, encoded, encoded_as_double: rounded }) => {
      const body = write(literal, 0);

      const envelope = decodeEnvelope(body);
      expect(valueAt(envelope, pointer)).toBe(type === "exact" ? BigInt(literal) : Number(literal));
      expect(encodeEnvelope(envelope)).toBe(write(encoded, 0));

      const asNumber = decodeEnvelope(body, { largeIntegers: "number" });
      expect(valueAt(asNumber, pointer)).toBe(Number(literal));
      expect(encodeEnvelope(asNumber)).toBe(write(rounded ?? encoded, 0));

      expect(amendEnvelope(body, { attempts: 3 })).toBe(write(literal, 3));
    });
  },
});
