import { SqsConsumer } from "@babelqueue/sqs";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { expectCopy } from "../expect-copy.js";
import { ScriptedSqs } from "../scripted-sqs.js";
import {
  combinationsOf,
  type Expected,
  expectedCalls,
  type Settlement,
  userOf,
} from "../settlement-rows.js";

export const sqsSettlement = block<Settlement>({
  key: "settlement",
  subject: "SqsConsumer, from message to requests",
  define: (given, folder) => {
    test.concurrent.each(combinationsOf(given))("$title", async (combination) => {
      const { deadLetters, expected, message } = combination;
      const source = given.messages[message] ?? {};
      const body = folder.bodyOf(source);
      const version = source.declared_schema_version;
      const sqs = new ScriptedSqs({
        Body: body,
        ...(version !== undefined && {
          MessageAttributes: { "bq-schema-version": { DataType: "String", StringValue: version } },
        }),
      });
      const { calls, routes, options } = userOf(combination, given.handled_urn);
      const consumer = new SqsConsumer(sqs.client(), sqs.queueUrl, routes, {
        ...options,
        waitTimeSeconds: 0,
        deadLetterQueueUrl: deadLetters ? sqs.deadLetterQueueUrl : undefined,
      });

      expect(await consumer.poll()).toBe(1);

      expect(sqs.settled).toEqual(requestsOf(expected));
      expect(calls).toMatchObject(expectedCalls(combination));
      const [copy] = sqs.deadLetters;
      if (copy !== undefined) {
        expectCopy(copy.body, expected, body);
        const reason = { DataType: "String", StringValue: expected.reason };
        expect(copy.attributes).toMatchObject({ "bq-dead-letter-reason": reason });
      }
    });
  },
});

/** An outcome as the requests that carry it out, in order. */
function requestsOf({ outcome, delay_seconds: seconds }: Expected): readonly string[] {
  switch (outcome) {
    case "ack":
    case "drop":
      return ["delete"];
    case "release":
      return [`release ${seconds}`];
    case "leave":
      return [];
    case "dead-letter":
      return ["send", "delete"];
  }
}
