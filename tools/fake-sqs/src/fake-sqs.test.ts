import {
  ListQueuesCommand,
  ReceiveMessageCommand,
  RequestThrottled,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, test, vi } from "vitest";
import { connectionReset, serviceUnavailable, throttled } from "./errors.js";
import { setUp, standingClock } from "./setup.fixture.js";

describe("request hooks", () => {
  test("an error thrown, returned or promised fails the request before it is applied", async () => {
    const { fake, send, url } = setUp("orders");
    const error = connectionReset();
    const hooks = [
      () => {
        throw error;
      },
      () => error,
      async () => error,
      () => Promise.reject(error),
    ];
    for (const hook of hooks) {
      const dispose = fake.onRequest(hook);
      await expect(send("x")).rejects.toBe(error);
      dispose();
    }
    expect(fake.messages(url)).toEqual([]);
    await send("x");
    expect(fake.messages(url)).toHaveLength(1);
  });

  test("hooks are asked in order; the request narrows by its operation", async () => {
    const { fake, receive, send } = setUp("orders");
    const asked: string[] = [];
    fake.onRequest(({ operation }) => {
      asked.push(`1 ${operation}`);
    });
    fake.onRequest((request) => {
      if (request.operation === "SendMessage") asked.push(`2 ${request.input.MessageBody}`);
      return request.operation === "ReceiveMessage" ? throttled() : undefined;
    });
    await send("x");
    await expect(receive()).rejects.toBeInstanceOf(RequestThrottled);
    expect(asked).toEqual(["1 SendMessage", "2 x", "1 ReceiveMessage"]);
  });

  test("a promise delays the request; aborted meanwhile, it is not applied", async () => {
    const { client, fake, url } = setUp("orders");
    const gates: (() => void)[] = [];
    fake.onRequest(() => new Promise<void>((resolve) => gates.push(resolve)));
    const abort = new AbortController();
    const command = new SendMessageCommand({ QueueUrl: url, MessageBody: "x" });
    const kept = client.send(command);
    const aborted = client.send(command, { abortSignal: abort.signal });
    abort.abort();
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
    expect(fake.messages(url)).toEqual([]);
    for (const open of gates) open();
    await kept;
    expect(fake.messages(url)).toHaveLength(1);
  });
});

test("an answer can be lost after the request was applied", async () => {
  const { fake, send, url } = setUp("orders");
  const dispose = fake.onAnswer(() => serviceUnavailable());
  await expect(send("x")).rejects.toMatchObject({ name: "ServiceUnavailable", $fault: "server" });
  expect(fake.messages(url)).toHaveLength(1);
  dispose();
  await expect(send("y")).resolves.toBeUndefined();
});

test("single entries of a batch can be made to fail", async () => {
  const { client, fake, url } = setUp("orders");
  const dispose = fake.failEntries((operation, entry, index) =>
    operation === "SendMessageBatch" && index === 1
      ? { code: "InternalError", senderFault: false, message: `not ${entry.Id}` }
      : undefined,
  );
  const Entries = [
    { Id: "a", MessageBody: "1" },
    { Id: "b", MessageBody: "2" },
  ];
  const command = new SendMessageBatchCommand({ QueueUrl: url, Entries });
  const answer = await client.send(command);
  expect(answer.Successful?.map(({ Id }) => Id)).toEqual(["a"]);
  expect(answer.Failed).toEqual([
    { Id: "b", Code: "InternalError", SenderFault: false, Message: "not b" },
  ]);
  dispose();
  expect(await client.send(command)).not.toHaveProperty("Failed");
  expect(fake.messages(url).map(({ body }) => body)).toEqual(["1", "1", "2"]);
});

describe("what a test can look at", () => {
  test("the requests, as they were when made, also those refused", async () => {
    const clock = standingClock();
    const { client, fake, send, url } = setUp("orders", {}, clock);
    const input = { QueueUrl: url, MessageBody: "x" };
    await client.send(new SendMessageCommand(input));
    input.MessageBody = "changed";
    await expect(send("")).rejects.toThrow(Error);
    const at = clock.now();
    expect(fake.requests).toEqual([
      { operation: "SendMessage", input: { QueueUrl: url, MessageBody: "x" }, at },
      { operation: "SendMessage", input: { QueueUrl: url, MessageBody: "" }, at },
    ]);
    fake.clearRequests();
    expect(fake.requests).toEqual([]);
  });

  test("the messages", async () => {
    const clock = standingClock();
    const { fake, receive, send, url } = setUp("orders", {}, clock);
    await send("x", "g");
    const [message] = await receive();
    expect(fake.messages(url)).toEqual([
      {
        messageId: message?.MessageId,
        body: "x",
        attributes: {},
        groupId: "g",
        deduplicationId: undefined,
        receiveCount: 1,
        visibleAt: clock.now() + 30_000,
        inFlight: true,
      },
    ]);
  });

  test("nothing is recorded without history", async () => {
    const { fake, send } = setUp("orders", {}, { history: false });
    await send("x");
    expect(fake.requests).toEqual([]);
  });
});

test("without request hooks a request is applied within the call", () => {
  const { client, fake, url } = setUp("orders");
  void client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: "x" }));
  expect(fake.messages(url)).toHaveLength(1);
});

test("a signal aborted before the call: nothing is applied, not even recorded", async () => {
  const { client, fake, url } = setUp("orders");
  const command = new SendMessageCommand({ QueueUrl: url, MessageBody: "x" });
  await expect(client.send(command, { abortSignal: AbortSignal.abort() })).rejects.toMatchObject({
    name: "AbortError",
  });
  expect(fake.requests).toEqual([]);
});

test("an answer carries the SDK's metadata", async () => {
  const { client, url } = setUp("orders");
  const answer = await client.send(new ReceiveMessageCommand({ QueueUrl: url }));
  expect(answer.$metadata.httpStatusCode).toBe(200);
});

test("a command the fake does not know", async () => {
  const { client } = setUp("orders");
  await expect(client.send(new ListQueuesCommand({}))).rejects.toThrow("ListQueuesCommand");
});

test("a fake clock installed later is honoured", async () => {
  const { receiveBodies, send } = setUp("orders", { VisibilityTimeout: 1 });
  vi.useFakeTimers();
  try {
    await send("x");
    await receiveBodies();
    vi.advanceTimersByTime(1000);
    expect(await receiveBodies()).toEqual(["x"]);
  } finally {
    vi.useRealTimers();
  }
});
