import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  MessageNotInflight,
} from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import type { FakeSqsOptions } from "./fake-sqs.js";
import { setUp, standingClock } from "./setup.fixture.js";

async function setUpReceived(options: FakeSqsOptions = {}) {
  const clock = standingClock();
  const queue = setUp("orders", {}, { ...options, ...clock });
  await queue.send("x");
  const [message] = await queue.receive();
  const handle = message?.ReceiptHandle;
  const change = (VisibilityTimeout: number | undefined): Promise<unknown> =>
    queue.client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queue.url,
        ReceiptHandle: handle,
        VisibilityTimeout,
      }),
    );
  return { ...queue, change, clock, handle };
}

test("the timeout counts anew from the change; zero makes visible at once", async () => {
  const { change, clock, fake, receiveBodies, url } = await setUpReceived();
  clock.pass(20);
  await change(30);
  expect(fake.messages(url)).toMatchObject([{ visibleAt: clock.now() + 30_000, inFlight: true }]);
  clock.pass(29);
  expect(await receiveBodies()).toEqual([]);
  await change(0);
  expect(await receiveBodies()).toEqual(["x"]);
});

test.each([-1, 43_201, 0.5])("a timeout of %d is refused", async (seconds) => {
  const { change } = await setUpReceived();
  await expect(change(seconds)).rejects.toMatchObject({ name: "InvalidParameterValue" });
});

test("no more than 12 hours since the receive", async () => {
  const { change, clock } = await setUpReceived();
  clock.pass(10);
  await expect(change(43_200)).rejects.toMatchObject({
    name: "InvalidParameterValue",
    message: expect.stringContaining("beyond the limit [43200 seconds]"),
  });
  await expect(change(43_190)).resolves.toBeDefined();
});

test("a lapsed handle is refused; or ignored, if the fake is told so", async () => {
  const strict = await setUpReceived();
  strict.clock.pass(30);
  await expect(strict.change(30)).rejects.toBeInstanceOf(MessageNotInflight);
  const lenient = await setUpReceived({ lapsedVisibilityChange: "ignored" });
  lenient.clock.pass(30);
  await lenient.change(30);
  expect(await lenient.receiveBodies()).toEqual(["x"]);
});

test("the handle of an earlier receive is refused, and changes nothing", async () => {
  const { change, clock, fake, receive, url } = await setUpReceived();
  clock.pass(30);
  await receive();
  await expect(change(0)).rejects.toBeInstanceOf(MessageNotInflight);
  expect(fake.messages(url)).toMatchObject([{ inFlight: true }]);
});

test("a deleted message", async () => {
  const { change, client, handle, url } = await setUpReceived();
  await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: handle }));
  await expect(change(10)).rejects.toMatchObject({
    name: "InvalidParameterValue",
    message: expect.stringContaining("Message does not exist"),
  });
});

test("a batch fails entry by entry; one without a timeout is missing a parameter", async () => {
  const { client, handle, receiveBodies, url } = await setUpReceived();
  const answer = await client.send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl: url,
      Entries: [
        { Id: "0", ReceiptHandle: handle },
        { Id: "1", ReceiptHandle: handle, VisibilityTimeout: 0 },
        { Id: "2", ReceiptHandle: "nonsense", VisibilityTimeout: 0 },
      ],
    }),
  );
  expect(answer.Successful).toEqual([{ Id: "1" }]);
  expect(answer.Failed).toMatchObject([
    { Id: "0", Code: "MissingParameter", SenderFault: true },
    { Id: "2", Code: "ReceiptHandleIsInvalid", SenderFault: true },
  ]);
  expect(await receiveBodies()).toEqual(["x"]);
});
