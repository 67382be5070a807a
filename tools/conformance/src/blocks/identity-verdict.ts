import { createConsume, identityOf } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { deliveryOf } from "../settlement-rows.js";

interface Case {
  readonly name: string;
  readonly body: string;
  readonly expect: "ok" | "poison";
}

export const identityVerdict = block<{ readonly cases: readonly Case[] }>({
  key: "identity_verdict",
  subject: "identityOf; what has no identity is poison",
  define: ({ cases }) => {
    test.each(cases)("$name", async ({ body, expect: verdict }) => {
      expect(identityOf(body) === null ? "poison" : "ok").toBe(verdict);
      if (verdict === "ok") return;

      const asked: string[] = [];
      const handlerFor = (urn: string) => {
        asked.push(urn);
        return undefined;
      };
      const options = { deadLetters: true, onError: () => undefined, onWarning: () => undefined };
      const outcome = await createConsume({ handlerFor }, options)(deliveryOf(body, {}));
      expect(outcome).toMatchObject({ kind: "dead-letter", reason: "poison" });
      expect(asked).toEqual([]);
    });
  },
});
