import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import { SOURCE_LANG, type UnknownUrnStrategy, UrnRouter } from "@babelqueue/core";
import { SqsConsumer } from "@babelqueue/sqs";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { type Text, textOf } from "../folder.js";
import { ScriptedSqs } from "../scripted-sqs.js";

type Attributes = Readonly<Record<string, MessageAttributeValue>>;

interface Case {
  readonly name: string;
  readonly queue: string;
  readonly dead_letter_queue: string;
  readonly strategy: UnknownUrnStrategy | null;
  readonly receive_count: string;
  /** The message group that it was received with. */
  readonly received_group_id?: string;
  readonly body: Text;
  readonly attributes: Attributes;
  readonly expect: {
    /**
     * With `%FAILED_AT%` for the time in ms, `%LANG%` for the language of the SDK, and `%ERROR%` for
     * a string that says why the message was refused.
     */
    readonly body: Text;
    readonly attributes: Attributes;
    readonly group_id?: string;
    /** `%MESSAGE_ID%` is the broker's own id of the message. */
    readonly deduplication_id?: string;
  };
}

const MESSAGE_ID = "8f0a4c55-2a51-4a0e-9a7e-51d1c3f1b602";

export const deadLetterCopies = block<{ readonly cases: readonly Case[] }>({
  key: "dead_letter_copies",
  subject: "what SqsConsumer writes to a dead-letter queue",
  define: ({ cases }) => {
    test.concurrent.each(cases)("$name", async (given) => {
      const { queue, dead_letter_queue: deadLetterQueue, expect: expected } = given;
      const message = {
        MessageId: MESSAGE_ID,
        Body: textOf(given.body),
        MessageAttributes: { ...given.attributes },
        Attributes: {
          ApproximateReceiveCount: given.receive_count,
          ...(given.received_group_id !== undefined && { MessageGroupId: given.received_group_id }),
        },
      };
      const sqs = new ScriptedSqs(message, { queue, deadLetterQueue });
      const errors: unknown[] = [];
      const consumer = new SqsConsumer(sqs.client(), sqs.queueUrl, new UrnRouter(), {
        waitTimeSeconds: 0,
        unknownUrnStrategy: given.strategy ?? undefined,
        deadLetterQueueUrl: sqs.deadLetterQueueUrl,
        onError: (error) => errors.push(error),
        onWarning: () => undefined,
      });

      await consumer.poll();

      expect(sqs.settled, String(errors)).toEqual(["send", "delete"]);
      const copy = sqs.deadLetters[0];
      expect(
        withPlaceholders(copy?.body ?? "") === textOf(expected.body).replace("%LANG%", SOURCE_LANG),
      ).toBe(true);
      expect(copy?.attributes).toEqual(expected.attributes);
      expect(copy?.groupId).toBe(expected.group_id);
      expect(copy?.deduplicationId).toBe(
        expected.deduplication_id?.replace("%MESSAGE_ID%", MESSAGE_ID),
      );
    });
  },
});

/** The copy with what no vector can know replaced. */
function withPlaceholders(body: string): string {
  return body.replace(
    /(?<="dead_letter":\{"reason":"\w+","error":)(null|"(?:[^"\\]|\\.){1,1000}")(,"exception":null,"failed_at":)\d{13}(?=,)/,
    (_match, error: string, between: string) =>
      `${error === "null" ? error : "%ERROR%"}${between}%FAILED_AT%`,
  );
}
