import type { Message } from "@aws-sdk/client-sqs";
import { decodeEnvelope, type Envelope } from "@babelqueue/core";
import { SqsConsumer, toMessageAttributes } from "@babelqueue/sqs";
import { describe, expect, test } from "vitest";
import { block } from "../block.js";
import { ScriptedSqs } from "../scripted-sqs.js";
import { gateTitle, type SqsBlock } from "../sqs-block.js";

/** What a consumer that handles everything makes of the message. */
async function consume(message: Message) {
  const sqs = new ScriptedSqs(message);
  const handled: Envelope[] = [];
  const reported: (Envelope | null)[] = [];
  const handlerFor = () => (envelope: Envelope) => handled.push(envelope);
  const consumer = new SqsConsumer(
    sqs.client(),
    sqs.queueUrl,
    { handlerFor },
    {
      waitTimeSeconds: 0,
      onError: (_error, envelope) => reported.push(envelope),
      onWarning: () => undefined,
    },
  );
  expect(await consumer.poll()).toBe(1);
  return { handled, reported, settled: sqs.settled };
}

export const sqs = block<SqsBlock>({
  key: "sqs",
  subject: "the binding, end to end",
  define: (given, folder) => {
    const { attribute_projection: projection, attempts_reconciliation: attempts } = given;
    const { schema_version_gate: gate } = given;
    if (projection !== undefined) {
      test("attribute_projection", () => {
        const envelope = decodeEnvelope(folder.bodyOf({ file: projection.envelope_file }));
        expect(toMessageAttributes(envelope)).toEqual(projection.message_attributes);
      });
    }
    if (attempts !== undefined) {
      const file = projection?.envelope_file ?? gate?.fixture;
      describe("attempts_reconciliation", () => {
        test.concurrent.each(attempts.cases)("$name", async (one) => {
          const document = JSON.parse(
            folder.bodyOf({ ...(file !== undefined && { file }) }),
          ) as object;
          const { approximate_receive_count: count } = one;
          const { handled } = await consume({
            Body: JSON.stringify({ ...document, attempts: one.body_attempts }),
            ...(count !== null && { Attributes: { ApproximateReceiveCount: count } }),
          });
          expect(handled.map((envelope) => envelope.attempts)).toEqual([one.expected_attempts]);
        });
      });
    }
    if (gate !== undefined) {
      describe("schema_version_gate", () => {
        const cases = gate.cases.map((one) => ({ ...one, title: gateTitle(one) }));
        test.concurrent.each(cases)("$title", async ({ value, expect: verdict }) => {
          const attribute = { DataType: "String", StringValue: value };
          const { handled, reported, settled } = await consume({
            Body: folder.bodyOf({ file: gate.fixture }),
            ...(value !== undefined && { MessageAttributes: { "bq-schema-version": attribute } }),
          });
          const decoded = verdict === "decode";
          expect(handled).toHaveLength(decoded ? 1 : 0);
          expect(reported).toEqual(decoded ? [] : [null]);
          expect(settled).toEqual(decoded ? ["delete"] : []);
        });
      });
    }
  },
});
