import { describe, expect, test } from "vitest";
import { pass, useFakeClock } from "../fake-clock.fixture.js";
import { SqsDeadLetterError, SqsReleaseError } from "../index.js";
import type { SqsHandlerOptions } from "../lambda.js";
import { CHANGES, OURS } from "../stage.fixture.js";
import { LambdaStage } from "./lambda.fixture.js";

useFakeClock();

/** The hundreds of a number are its group. */
const groupOf = (n: number): string => `g${Math.floor(n / 100)}`;

async function setUp(seed: readonly number[], urn?: string): Promise<LambdaStage> {
  const stage = new LambdaStage("orders.fifo");
  await stage.seed(seed, groupOf, urn);
  return stage;
}

const boom = (): never => {
  throw new Error("boom");
};

test("what is dead-lettered says which group it came from, with and without a block", async () => {
  const stage = await setUp([1], "urn:unknown");
  const deadLetterQueueUrl = stage.fake.createQueue("orders-dlq.fifo");
  for (const [MessageDeduplicationId, version] of [
    ["poison", "1"],
    ["gated", "2"],
  ] as const) {
    const input = {
      QueueUrl: stage.url,
      MessageBody: "{}",
      MessageGroupId: `of-${MessageDeduplicationId}`,
      MessageDeduplicationId,
      MessageAttributes: { "bq-schema-version": { DataType: "Number", StringValue: version } },
    };
    await stage.fake.perform({ operation: "SendMessage", input: { ...input } });
  }
  const { client } = stage;
  const handler = stage.function({ client, deadLetterQueueUrl, unknownUrnStrategy: "dead_letter" });
  expect((await stage.invoke(handler)).response).toEqual({ batchItemFailures: [] });
  const copies = stage.fake.messages(deadLetterQueueUrl).map(({ body, attributes }) => ({
    hasBlock: body.includes('"dead_letter":{"reason"'),
    reason: attributes["bq-dead-letter-reason"]?.StringValue,
    queue: attributes["bq-original-queue"]?.StringValue,
    group: attributes["bq-original-group"]?.StringValue,
  }));
  const queue = "orders.fifo";
  expect(copies).toHaveLength(3);
  expect(copies).toEqual(
    expect.arrayContaining([
      { hasBlock: false, reason: "gated", queue, group: "of-gated" },
      { hasBlock: true, reason: "poison", queue, group: "of-poison" },
      { hasBlock: true, reason: "unknown_urn", queue, group: "g0" },
    ]),
  );
});

test("a group is handled one message after another, groups side by side", async () => {
  const stage = await setUp([1, 2, 101, 102, 201]);
  const invoked = stage.invoke(stage.function());
  await pass();
  expect(stage.started).toEqual([1, 101, 201]);
  stage.call(101).succeed();
  await pass();
  expect(stage.started).toEqual([1, 101, 201, 102]);
  stage.call(1).succeed();
  await pass();
  expect(stage.started).toEqual([1, 101, 201, 102, 2]);
  for (const call of stage.calls) call.succeed();
  expect((await invoked).response).toEqual({ batchItemFailures: [] });
});

test.each<[string, SqsHandlerOptions, number]>([
  ["at once", {}, 0],
  ["after the same delay", { releaseDelaySeconds: 7 }, 7],
  [
    "after what a function says of the first",
    { releaseDelaySeconds: (attempts) => 3 + attempts },
    3,
  ],
])("a failure stops its group, whose followers come back %s", async (_, options, seconds) => {
  const stage = await setUp([1, 2, 3, 101, 102]);
  const { client } = stage;
  const invoked = stage.invoke(stage.function({ client, ...options }));
  await pass();
  stage.call(1).succeed();
  await pass();
  stage.call(101).succeed();
  await pass();
  stage.call(102).succeed();
  stage.call(2).fail();
  expect((await invoked).back).toEqual([2, 3]);
  expect(stage.started).toEqual([1, 101, 2, 102]);
  expect([stage.hiddenFor(2), stage.hiddenFor(3)]).toEqual([seconds, seconds]);
  expect(stage.sizes(...CHANGES), "in one request").toEqual([2]);
  expect(stage.errors).toHaveLength(1);
});

test("without a client, all come back when the queue's timeout lapses", async () => {
  const stage = await setUp([1, 2]);
  expect((await stage.invoke(stage.function({}, boom))).back).toEqual([1, 2]);
  expect([stage.hiddenFor(1), stage.hiddenFor(2)]).toEqual([30, 30]);
  expect(stage.errors).toHaveLength(1);
});

describe("what else stops a group", () => {
  test.each<[string, SqsHandlerOptions]>([
    ["an unknown URN that is left", {}],
    ["an unknown URN that is released", { unknownUrnStrategy: "release" }],
    ["a hook that fails", { onUnknownUrn: boom }],
  ])("%s", async (_, options) => {
    const stage = await setUp([1], "urn:unknown");
    await stage.seed([2], groupOf);
    expect((await stage.invoke(stage.function(options))).back).toEqual([1, 2]);
    expect(stage.started).toEqual([]);
  });

  test("a failed write to the dead-letter queue, which is waited for", async () => {
    const stage = await setUp([1], "urn:unknown");
    await stage.seed([2], groupOf);
    const deadLetterQueueUrl = stage.fake.createQueue("orders-dlq.fifo");
    const handler = stage.function({
      client: stage.client,
      deadLetterQueueUrl,
      unknownUrnStrategy: "dead_letter",
    });
    const Records = await stage.receive();
    stage.fake.onRequest(() => new Error("down"));
    const { batchItemFailures } = await handler({ Records });
    expect(batchItemFailures).toHaveLength(2);
    expect(stage.started).toEqual([]);
    expect(stage.errors).toEqual([expect.any(SqsDeadLetterError)]);
  });

  test("not a message that is dropped, or written to the dead-letter queue", async () => {
    const stage = await setUp([1], "urn:unknown");
    await stage.seed([2], groupOf);
    const deadLetterQueueUrl = stage.fake.createQueue("orders-dlq.fifo");
    const options = {
      client: stage.client,
      deadLetterQueueUrl,
      unknownUrnStrategy: "dead_letter",
    } as const;
    const seen: number[] = [];
    const handler = stage.function(options, ({ data: { n } }) => {
      seen.push(n);
      expect(stage.fake.messages(deadLetterQueueUrl)).toHaveLength(1);
    });
    expect((await stage.invoke(handler)).back).toEqual([]);
    expect(seen).toEqual([2]);
  });
});

test("a release that fails: every message of the group comes back all the same", async () => {
  const stage = await setUp([1, 2]);
  stage.fake.failEntries(() => OURS);
  const { client } = stage;
  expect((await stage.invoke(stage.function({ client }, boom))).back).toEqual([1, 2]);
  expect(stage.errors.slice(1)).toEqual([expect.any(SqsReleaseError), expect.any(SqsReleaseError)]);
});

test("two FIFO queues with groups of the same name do not wait for each other", async () => {
  const stage = await setUp([1]);
  const other = new LambdaStage("bills.fifo");
  await other.seed([2], groupOf);
  const Records = [...(await stage.receive()), ...(await other.receive())];
  const handled = stage.function()({ Records });
  await pass();
  expect(stage.started).toEqual([1, 2]);
  stage.call(1).fail();
  stage.call(2).succeed();
  expect((await handled).batchItemFailures).toEqual([{ itemIdentifier: Records[0]?.messageId }]);
});

test("a fair queue is a standard queue: its groups are handled in parallel", async () => {
  const stage = new LambdaStage("orders");
  await stage.seed([1, 2], groupOf);
  const invoked = stage.invoke(stage.function());
  await pass();
  expect(stage.started).toEqual([1, 2]);
  stage.call(1).fail();
  stage.call(2).succeed();
  expect((await invoked).back).toEqual([1]);
});
