import { createConsume } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { expectCopy } from "../expect-copy.js";
import {
  combinationsOf,
  deliveryOf,
  expectedCalls,
  type Settlement,
  userOf,
} from "../settlement-rows.js";

export const settlement = block<Settlement>({
  key: "settlement",
  subject: "createConsume, from delivery to outcome",
  define: (given, folder) => {
    test.each(combinationsOf(given))("$title", async (combination) => {
      const { deadLetters, expected, message } = combination;
      const source = given.messages[message] ?? {};
      const body = folder.bodyOf(source);
      const { calls, routes, options } = userOf(combination, given.handled_urn);
      const consume = createConsume(routes, { ...options, deadLetters });

      const outcome = await consume(
        deliveryOf(body, { declaredSchemaVersion: source.declared_schema_version }),
      );

      expect(outcome.kind).toBe(expected.outcome);
      expect(calls).toMatchObject(expectedCalls(combination));
      for (const envelope of calls.reportedEnvelopes) {
        expect(envelope !== null).toBe(expected.reports_envelope ?? true);
      }
      if (outcome.kind === "release") expect(outcome.delaySeconds).toBe(expected.delay_seconds);
      if (outcome.kind === "dead-letter") {
        expect(outcome.reason).toBe(expected.reason);
        expectCopy(outcome.body, expected, body);
      }
    });
  },
});
