import type { UnknownUrnStrategy } from "@babelqueue/core";
import { SqsConsumer } from "@babelqueue/sqs";
import { describe, expect, test } from "vitest";
import { block } from "../block.js";
import { type Failing, ScriptedSqs } from "../scripted-sqs.js";
import { type Settlement, userOf } from "../settlement-rows.js";
import { sqsReportOf } from "../sqs-report.js";

interface Failures {
  readonly handled_urn: string;
  readonly messages: Settlement["messages"];
  readonly cases: readonly {
    readonly name: string;
    readonly message: string;
    readonly failing: Failing;
    readonly handler?: "returns" | "throws";
    readonly strategy?: UnknownUrnStrategy;
    readonly expect: {
      readonly deleted: boolean;
      readonly released: boolean;
      readonly dead_lettered: boolean;
      readonly reports: readonly string[];
    };
  }[];
}

export const settlementFailures = block<Failures>({
  key: "settlement_failures",
  subject: "a request that settles a message fails",
  define: ({ handled_urn: urn, messages, cases }, folder) => {
    describe.each(["request", "entry"] as const)("the %s", (how) => {
      test.concurrent.each(cases)("$name", async (given) => {
        const source = messages[given.message] ?? {};
        const version = source.declared_schema_version;
        const sqs = new ScriptedSqs(
          {
            Body: folder.bodyOf(source),
            ...(version !== undefined && {
              MessageAttributes: {
                "bq-schema-version": { DataType: "String", StringValue: version },
              },
            }),
          },
          { failing: given.failing, how },
        );
        const { routes, options } = userOf(
          { strategy: given.strategy ?? null, hook: null, row: { handler: given.handler } },
          urn,
        );
        const errors: unknown[] = [];
        const consumer = new SqsConsumer(sqs.client(), sqs.queueUrl, routes, {
          ...options,
          waitTimeSeconds: 0,
          deadLetterQueueUrl: sqs.deadLetterQueueUrl,
          onError: (error) => errors.push(error),
        });

        expect(await consumer.poll()).toBe(1);

        expect(errors.map(sqsReportOf)).toEqual(given.expect.reports);
        const last = errors.at(-1);
        expect(last instanceof Error ? last.cause : last).toMatchObject({ name: "AccessDenied" });
        expect(sqs.settled.includes("delete")).toBe(given.expect.deleted);
        expect(sqs.settled.some((done) => done.startsWith("release"))).toBe(given.expect.released);
        expect(sqs.deadLetters.length > 0).toBe(given.expect.dead_lettered);
      });
    });
  },
});
