import { createConsume, UrnRouter } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { canonical, valueAt } from "../json.js";
import { runnable } from "../sections.js";
import { deliveryOf } from "../settlement-rows.js";

interface PoisonDlq {
  readonly original_queue: string;
  readonly cases: readonly {
    readonly name: string;
    /** Missing where the bytes are no UTF-8. */
    readonly body?: string;
    readonly expect: Shape;
  }[];
}

type Shape =
  | { readonly shape: "splice" | "wrapper"; readonly record: object }
  | {
      readonly shape: "splice_or_wrapper";
      /** Of the wrapper. */
      readonly record: object;
      /** Of the splice: what stands in it, and the names of its members. */
      readonly splice_literals: readonly string[];
      readonly splice_keys: readonly string[];
    };

const key = "poison_dlq";

export const poisonDlq = block<PoisonDlq>({
  key,
  subject: "the copy that createConsume makes of poison",
  define: ({ original_queue: queue, cases }) => {
    test.each(runnable(key, cases))("$name", async ({ body, expect: expected }) => {
      if (body === undefined) throw new Error("The case has no text as its body");
      const consume = createConsume(new UrnRouter(), {
        deadLetters: true,
        onError: () => undefined,
        onWarning: () => undefined,
      });

      const outcome = await consume(deliveryOf(body, { queue }));

      if (outcome.kind !== "dead-letter") throw new Error(`The outcome is ${outcome.kind}`);
      expect(outcome.reason).toBe("poison");
      const document = JSON.parse(outcome.body) as object;
      expect(valueAt(document, "/dead_letter/reason")).toBe("poison");
      expect(valueAt(document, "/dead_letter/original_queue")).toBe(queue);
      const rest = Object.fromEntries(
        Object.entries(document).filter(([name]) => name !== "dead_letter"),
      );
      if (expected.shape === "splice_or_wrapper" && !Object.hasOwn(rest, "raw")) {
        for (const literal of expected.splice_literals) expect(outcome.body).toContain(literal);
        expect(rest).not.toHaveProperty("raw_encoding");
        expect(new Set(Object.keys(rest))).toEqual(new Set(expected.splice_keys));
      } else {
        expect(canonical(rest)).toBe(canonical(expected.record));
      }
    });
  },
});
