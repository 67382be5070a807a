import { InvalidArgumentError } from "@babelqueue/core";
import { SqsPublisher } from "@babelqueue/sqs";
import { FakeSqs } from "fake-sqs";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { sentMessage } from "../sent-message.js";

interface Fifo {
  readonly urn: string;
  readonly data: object;
  readonly cases: readonly {
    readonly name: string;
    readonly queue: string;
    /** The options of the publisher. */
    readonly fifo?: boolean;
    readonly message_group_id?: string;
    readonly content_based_deduplication?: boolean;
    /** The options of the one message. */
    readonly publish?: {
      readonly message_group_id?: string;
      readonly deduplication_id?: string;
      readonly delay_seconds?: number;
    };
    readonly expect:
      | { readonly refused: "construction" }
      | { readonly refused: "publish" }
      | {
          readonly refused?: never;
          readonly group_id: string | null;
          /** `%META_ID%` is the id of the message. Null: none is sent. */
          readonly deduplication_id: string | null;
          readonly delay_seconds?: number;
        };
  }[];
}

export const fifo = block<Fifo>({
  key: "fifo",
  subject: "groups, deduplication and delays of SqsPublisher",
  define: ({ urn, data, cases }) => {
    test.each(cases)("$name", async (given) => {
      const fake = new FakeSqs();
      const byContent = given.content_based_deduplication;
      const url = fake.createQueue(
        given.queue,
        byContent === true ? { ContentBasedDeduplication: true } : {},
      );
      const make = (): SqsPublisher =>
        new SqsPublisher(fake.client(), url, {
          fifo: given.fifo,
          messageGroupId: given.message_group_id,
          contentBasedDeduplication: byContent,
        });
      const { publish = {}, expect: expected } = given;
      const options = {
        messageGroupId: publish.message_group_id,
        deduplicationId: publish.deduplication_id,
        delaySeconds: publish.delay_seconds,
      };
      if (expected.refused === "construction") {
        expect(make).toThrow(InvalidArgumentError);
      } else if (expected.refused === "publish") {
        await expect(make().publish(urn, data, options)).rejects.toThrow(InvalidArgumentError);
        expect(fake.requests).toEqual([]);
      } else {
        const id = await make().publish(urn, data, options);
        const input = sentMessage(fake);
        expect(input.MessageGroupId ?? null).toBe(expected.group_id);
        expect(input.MessageDeduplicationId ?? null).toBe(
          expected.deduplication_id?.replace("%META_ID%", id) ?? null,
        );
        expect(input.DelaySeconds ?? 0).toBe(expected.delay_seconds ?? 0);
      }
    });
  },
});
