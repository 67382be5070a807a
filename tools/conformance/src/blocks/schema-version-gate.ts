import { acceptsSchemaVersion, createConsume, UrnRouter } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { expectCopy } from "../expect-copy.js";
import { deliveryOf } from "../settlement-rows.js";
import { gateTitle, type SqsBlock } from "../sqs-block.js";

export const schemaVersionGate = block<SqsBlock>({
  key: "sqs",
  subject: "the schema-version gate, in core",
  define: ({ schema_version_gate: gate }, folder) => {
    if (gate === undefined) return;
    test.each(gate.cases.map((one) => ({ ...one, title: gateTitle(one) })))(
      "$title",
      async ({ value, expect: verdict }) => {
        expect(acceptsSchemaVersion(value)).toBe(verdict === "decode");
        const body = folder.bodyOf({ file: gate.fixture });
        const seen: unknown[] = [];
        const handlerFor = (urn: string) => {
          seen.push(urn);
          return () => undefined;
        };
        const consume = createConsume(
          { handlerFor },
          { deadLetters: false, onError: (_error, envelope) => seen.push(envelope) },
        );
        const outcome = await consume(deliveryOf(body, { declaredSchemaVersion: value }));
        expect(outcome.kind).toBe(verdict === "decode" ? "ack" : "leave");
        expect(seen).toEqual([verdict === "decode" ? expect.any(String) : null]);
      },
    );
    if (gate.wrong_body !== undefined) {
      const { wrong_body: body } = gate;
      test("a body of another version is refused, whatever the attribute says", async () => {
        const consume = createConsume(new UrnRouter(), {
          deadLetters: true,
          onError: () => undefined,
        });
        for (const declaredSchemaVersion of [undefined, "", "1"]) {
          const outcome = await consume(deliveryOf(body, { declaredSchemaVersion }));
          if (outcome.kind !== "dead-letter") throw new Error(`The outcome is ${outcome.kind}`);
          expect(outcome.reason).toBe("poison");
          expectCopy(outcome.body, { copy: "spliced", reason: "poison" }, body);
        }
      });
    }
  },
});
