import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import type { FifoGroupRule } from "./fifo-groups.js";
import { type Setup, setUp, standingClock } from "./setup.fixture.js";

const FIFO = { ContentBasedDeduplication: true, VisibilityTimeout: 30 };

async function setUpGroups(bodies: string[], rule: FifoGroupRule = "leading") {
  const clock = standingClock();
  const queue = setUp("orders.fifo", FIFO, { ...clock, fifoGroups: rule });
  for (const body of bodies) await queue.send(body, body.slice(0, 2));
  return { ...queue, clock };
}

const release = ({ client, url }: Setup, message: Message | undefined): Promise<unknown> =>
  client.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: url,
      ReceiptHandle: message?.ReceiptHandle,
      VisibilityTimeout: 0,
    }),
  );

const remove = ({ client, url }: Setup, message: Message | undefined): Promise<unknown> =>
  client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }));

// The scenarios and their answers are recordings of AWS.
describe("as recorded", () => {
  test("as many of one group as possible, in order; the group is shut meanwhile, then goes behind", async () => {
    const queue = await setUpGroups(["g1-1", "g1-2", "g1-3", "g1-4", "g2-1", "g3-1"]);
    expect(await queue.receiveBodies({ MaxNumberOfMessages: 2 })).toEqual(["g1-1", "g1-2"]);
    expect(await queue.receiveBodies({ MaxNumberOfMessages: 1 })).toEqual(["g2-1"]);
    queue.clock.pass(30);
    const all = ["g3-1", "g1-1", "g1-2", "g1-3", "g1-4", "g2-1"];
    expect(await queue.receiveBodies()).toEqual(all);
  });

  test("a timeout of zero shuts nothing", async () => {
    const queue = await setUpGroups(["g1-1", "g2-1", "g2-2", "g3-1", "g1-2"]);
    const bodies = await queue.receiveBodies({ MaxNumberOfMessages: 3, VisibilityTimeout: 0 });
    expect(bodies).toEqual(["g1-1", "g1-2", "g2-1"]);
    const all = ["g3-1", "g1-1", "g1-2", "g2-1", "g2-2"];
    expect(await queue.receiveBodies({ VisibilityTimeout: 0 })).toEqual(all);
  });

  test("a released leader comes back while its follower is in flight", async () => {
    const queue = await setUpGroups(["g1-1", "g1-2", "g2-1"]);
    const [leader] = await queue.receive({ MaxNumberOfMessages: 2 });
    await release(queue, leader);
    expect(await queue.receiveBodies({ MaxNumberOfMessages: 3 })).toEqual(["g2-1", "g1-1"]);
  });

  test("the group stays shut until all of it that is in flight is deleted", async () => {
    const queue = await setUpGroups(["g1-1", "g1-2", "g1-3", "g2-1"]);
    const [first, second] = await queue.receive({ MaxNumberOfMessages: 2 });
    await remove(queue, first);
    expect(await queue.receiveBodies()).toEqual(["g2-1"]);
    await remove(queue, second);
    expect(await queue.receiveBodies()).toEqual(["g1-3"]);
  });
});

describe("where AWS is not known, the rule can be chosen", () => {
  test.each<[FifoGroupRule, string[], string[]]>([
    ["leading", ["g1-1"], []],
    ["locked", [], []],
    ["reopened", ["g1-1", "g1-3"], ["g1-2", "g1-3"]],
  ])("%s", async (rule, afterLeader, afterFollower) => {
    const bodies = ["g1-1", "g1-2", "g1-3"];
    const one = await setUpGroups(bodies, rule);
    const [leader] = await one.receive({ MaxNumberOfMessages: 2 });
    await release(one, leader);
    expect(await one.receiveBodies()).toEqual(afterLeader);

    const other = await setUpGroups(bodies, rule);
    const [, follower] = await other.receive({ MaxNumberOfMessages: 2 });
    await release(other, follower);
    expect(await other.receiveBodies()).toEqual(afterFollower);
  });
});

test("a leader moved to the dead-letter queue makes way for its followers", async () => {
  const clock = standingClock();
  const { fake, url: deadLetters } = setUp("dlq.fifo", {}, clock);
  const url = fake.createQueue("orders.fifo", {
    ...FIFO,
    RedrivePolicy: { deadLetterTargetArn: fake.arn(deadLetters), maxReceiveCount: 1 },
  });
  const first = { QueueUrl: url, MessageGroupId: "g" };
  await fake.perform({ operation: "SendMessage", input: { ...first, MessageBody: "1" } });
  await fake.perform({ operation: "ReceiveMessage", input: { QueueUrl: url } });
  await fake.perform({ operation: "SendMessage", input: { ...first, MessageBody: "2" } });
  clock.pass(30);
  const { Messages } = await fake.perform({
    operation: "ReceiveMessage",
    input: { QueueUrl: url, MaxNumberOfMessages: 10 },
  });
  expect(Messages?.map(({ Body }) => Body)).toEqual(["2"]);
  expect(fake.messages(deadLetters)).toMatchObject([{ body: "1", groupId: "g" }]);
});
