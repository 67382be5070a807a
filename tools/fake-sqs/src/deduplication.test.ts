import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { setUp, standingClock } from "./setup.fixture.js";

function setUpFifo(contentBased: boolean) {
  const clock = standingClock();
  const queue = setUp("orders.fifo", { ContentBasedDeduplication: contentBased }, clock);
  const send = async (
    MessageBody: string,
    MessageDeduplicationId?: string,
    MessageGroupId = "g",
  ) => {
    const input = { QueueUrl: queue.url, MessageBody, MessageGroupId, MessageDeduplicationId };
    return (await queue.client.send(new SendMessageCommand(input))).MessageId;
  };
  const bodies = (): string[] => queue.fake.messages(queue.url).map(({ body }) => body);
  return { bodies, clock, send };
}

test("a known id is accepted under the first message's id and not stored, for five minutes", async () => {
  const { bodies, clock, send } = setUpFifo(false);
  const first = await send("a", "1");
  clock.pass(299);
  expect(await send("b", "1")).toBe(first);
  expect(await send("c", "1", "another-group")).toBe(first);
  expect(bodies()).toEqual(["a"]);
  clock.pass(1);
  expect(await send("d", "1")).not.toBe(first);
  expect(bodies()).toEqual(["a", "d"]);
});

test("by content where the queue says so and no id is given", async () => {
  const { bodies, send } = setUpFifo(true);
  await send("a");
  await send("a");
  await send("a", "own");
  await send("b");
  expect(bodies()).toEqual(["a", "a", "b"]);
});
