import type { UnknownUrnStrategy } from "@babelqueue/core";
import { SqsConsumer } from "@babelqueue/sqs";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { ScriptedSqs } from "../scripted-sqs.js";
import { userOf } from "../settlement-rows.js";
import { sqsReportOf } from "../sqs-report.js";

type GateOutcome = "ack" | "dlq_raw" | "unsettled" | "native";

interface Row {
  readonly name: string;
  readonly on_unknown_urn?: UnknownUrnStrategy;
  readonly dead_letter: "on" | "off";
  /** Whether the write to the dead-letter queue succeeds. */
  readonly dlq_write?: "ok" | "fails";
  /** The attribute `bq-attempts`, which changes nothing. */
  readonly bq_attempts?: string;
  readonly expect: {
    readonly outcome: GateOutcome;
    /** Where "off" means that there is no queue to write to, as here. */
    readonly outcome_no_writer?: GateOutcome;
  };
}

interface VersionGate {
  readonly incoming_bodies: readonly { readonly name: string; readonly body: string }[];
  readonly cases: readonly Row[];
}

/** The requests that settle the message, and what the error hook is told. */
const effects: Readonly<Record<GateOutcome, { settled: string[]; reports: string[] }>> = {
  ack: { settled: ["delete"], reports: ["gated"] },
  dlq_raw: { settled: ["send", "delete"], reports: ["gated"] },
  unsettled: { settled: [], reports: ["gated", "dead_letter"] },
  native: { settled: [], reports: ["gated"] },
};

const attribute = (StringValue: string) => ({ DataType: "String", StringValue });

export const versionGateSqs = block<VersionGate>({
  key: "version_gate_sqs",
  subject: "what SqsConsumer does with a gated message",
  define: ({ incoming_bodies: bodies, cases }) => {
    const combinations = cases.flatMap((row) =>
      bodies.flatMap(({ name, body }) =>
        ([null, "returns"] as const).map((hook) => ({
          title: `${row.name}: ${name}${hook === null ? "" : ", with a hook"}`,
          row,
          body,
          hook,
        })),
      ),
    );
    test.concurrent.each(combinations)("$title", async ({ row, body, hook }) => {
      const sqs = new ScriptedSqs(
        {
          Body: body,
          MessageAttributes: {
            "bq-schema-version": attribute("2"),
            ...(row.bq_attempts !== undefined && { "bq-attempts": attribute(row.bq_attempts) }),
          },
        },
        { failing: row.dlq_write === "fails" ? "dead_letter" : undefined },
      );
      const strategy = row.on_unknown_urn ?? null;
      const { calls, routes, options } = userOf(
        { strategy, hook, row: {} },
        "urn:babelqueue:order.created",
      );
      const reports: string[] = [];
      const consumer = new SqsConsumer(sqs.client(), sqs.queueUrl, routes, {
        ...options,
        waitTimeSeconds: 0,
        deadLetterQueueUrl: row.dead_letter === "on" ? sqs.deadLetterQueueUrl : undefined,
        onError: (error, envelope) => {
          expect(envelope).toBeNull();
          reports.push(sqsReportOf(error));
        },
      });

      expect(await consumer.poll()).toBe(1);

      const { outcome, outcome_no_writer: withoutWriter } = row.expect;
      const expected = row.dead_letter === "off" ? (withoutWriter ?? outcome) : outcome;
      expect({ settled: sqs.settled, reports }).toEqual(effects[expected]);
      expect(calls).toMatchObject({ handled: 0, hooked: 0 });
      const [copy] = sqs.deadLetters;
      expect(copy?.body).toBe(expected === "dlq_raw" ? body : undefined);
      if (copy !== undefined) {
        expect(copy.attributes).toMatchObject({ "bq-dead-letter-reason": attribute("gated") });
      }
    });
  },
});
