import {
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  ReceiptHandleIsInvalid,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { type Setup, setUp, standingClock } from "./setup.fixture.js";

const remove = ({ client, url }: Setup, ReceiptHandle: string | undefined): Promise<unknown> =>
  client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));

async function received(queue: Setup): Promise<{ id: string; handle: string }> {
  const [message] = await queue.receive();
  return { id: message?.MessageId ?? "", handle: message?.ReceiptHandle ?? "" };
}

describe("DeleteMessage", () => {
  test("deletes for good; a second time is no error", async () => {
    const queue = setUp("orders", { VisibilityTimeout: 0 });
    await queue.send("x");
    const { handle, id } = await received(queue);
    await remove(queue, handle);
    await expect(remove(queue, handle)).resolves.toBeDefined();
    expect(queue.fake.deleted(queue.url)).toEqual([id]);
    expect(await queue.receive()).toEqual([]);
  });

  test("a lapsed handle still deletes, until the message is received again", async () => {
    const clock = standingClock();
    const queue = setUp("orders", { VisibilityTimeout: 1 }, clock);
    await queue.send("x");
    const first = await received(queue);
    clock.pass(1);
    const second = await received(queue);
    await expect(remove(queue, first.handle)).resolves.toBeDefined();
    expect(queue.fake.messages(queue.url)).toHaveLength(1);
    clock.pass(1);
    await remove(queue, second.handle);
    expect(queue.fake.messages(queue.url)).toEqual([]);
  });

  test("malformed, cut and foreign handles are refused, an absent one is missing", async () => {
    const queue = setUp("orders");
    const other = setUp("others");
    await queue.send("x");
    await other.send("x");
    const own = await received(queue);
    const foreign = await received(other);
    for (const handle of ["nonsense", own.handle.slice(0, -5), foreign.handle])
      await expect(remove(queue, handle)).rejects.toBeInstanceOf(ReceiptHandleIsInvalid);
    await expect(remove(queue, undefined)).rejects.toMatchObject({ name: "MissingParameter" });
  });

  test("a FIFO queue refuses an expired handle", async () => {
    const clock = standingClock();
    const queue = setUp("a.fifo", { ContentBasedDeduplication: true, VisibilityTimeout: 1 }, clock);
    await queue.send("x", "g");
    const first = await received(queue);
    clock.pass(1);
    const expired = {
      name: "InvalidParameterValue",
      message: expect.stringContaining("The receipt handle has expired"),
    };
    await expect(remove(queue, first.handle)).rejects.toMatchObject(expired);
    const second = await received(queue);
    await expect(remove(queue, first.handle)).rejects.toMatchObject(expired);
    await expect(remove(queue, second.handle)).resolves.toBeDefined();
  });
});

test("DeleteMessageBatch fails entry by entry", async () => {
  const queue = setUp("orders");
  await queue.send("x");
  const { handle } = await received(queue);
  const answer = await queue.client.send(
    new DeleteMessageBatchCommand({
      QueueUrl: queue.url,
      Entries: [
        { Id: "0", ReceiptHandle: "nonsense" },
        { Id: "1", ReceiptHandle: handle },
      ],
    }),
  );
  expect(answer.Successful).toEqual([{ Id: "1" }]);
  expect(answer.Failed).toMatchObject([
    { Id: "0", Code: "ReceiptHandleIsInvalid", SenderFault: true },
  ]);
  expect(queue.fake.messages(queue.url)).toEqual([]);
});
