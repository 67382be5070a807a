import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { setUp, standingClock } from "./setup.fixture.js";

describe("ReceiveMessage", () => {
  test("an empty queue answers without Messages", async () => {
    const { client, url } = setUp("orders");
    const answer = await client.send(new ReceiveMessageCommand({ QueueUrl: url }));
    expect(answer).not.toHaveProperty("Messages");
  });

  test("one message unless more are asked for", async () => {
    const { receive, send } = setUp("orders");
    await send("a");
    await send("b");
    expect(await receive({ MaxNumberOfMessages: undefined })).toHaveLength(1);
  });

  test.each<Partial<ReceiveMessageCommandInput>>([
    { MaxNumberOfMessages: 0 },
    { MaxNumberOfMessages: 11 },
    { WaitTimeSeconds: 21 },
    { WaitTimeSeconds: -1 },
    { VisibilityTimeout: 43_201 },
  ])("%j is refused", async (input) => {
    await expect(setUp("orders").receive(input)).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
  });

  test("no attributes unless asked for", async () => {
    const { client, receive, url } = setUp("orders");
    const MessageAttributes = {
      "bq-job": { DataType: "String", StringValue: "x" },
      "bq-created-at": { DataType: "Number", StringValue: "1" },
      other: { DataType: "String", StringValue: "y" },
    };
    await client.send(
      new SendMessageCommand({ QueueUrl: url, MessageBody: "x", MessageAttributes }),
    );
    const namesFor = async (...MessageAttributeNames: string[]): Promise<string[]> => {
      const [message] = await receive({ MessageAttributeNames, VisibilityTimeout: 0 });
      return Object.keys(message?.MessageAttributes ?? {});
    };
    const [bare] = await receive({ VisibilityTimeout: 0 });
    expect(Object.keys(bare ?? {}).sort()).toEqual([
      "Body",
      "MD5OfBody",
      "MessageId",
      "ReceiptHandle",
    ]);
    expect(await namesFor("All")).toHaveLength(3);
    expect(await namesFor(".*")).toHaveLength(3);
    expect(await namesFor("bq-.*")).toEqual(["bq-job", "bq-created-at"]);
    expect(await namesFor("other", "missing")).toEqual(["other"]);
    expect(await namesFor("missing")).toEqual([]);
  });

  test("system attributes by either parameter, counts and times", async () => {
    const clock = standingClock();
    const { receive, send } = setUp("orders", {}, clock);
    const sentAt = String(clock.now());
    await send("x");
    clock.pass(1);
    const firstReceivedAt = String(clock.now());
    await receive({ VisibilityTimeout: 0 });
    clock.pass(1);
    const [message] = await receive({ AttributeNames: ["All"], VisibilityTimeout: 0 });
    expect(message?.Attributes).toEqual({
      SenderId: expect.any(String),
      SentTimestamp: sentAt,
      ApproximateFirstReceiveTimestamp: firstReceivedAt,
      ApproximateReceiveCount: "2",
    });
    const [counted] = await receive({ MessageSystemAttributeNames: ["ApproximateReceiveCount"] });
    expect(counted?.Attributes).toEqual({ ApproximateReceiveCount: "3" });
  });

  test("a message is hidden for its timeout, then comes back under a new handle", async () => {
    const clock = standingClock();
    const { receive, send } = setUp("orders", { VisibilityTimeout: 10 }, clock);
    await send("x");
    const [first] = await receive();
    clock.pass(9);
    expect(await receive()).toEqual([]);
    clock.pass(1);
    const [second] = await receive();
    expect(second?.MessageId).toBe(first?.MessageId);
    expect(second?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
  });
});

describe("redrive", () => {
  test("the receive after maxReceiveCount moves the message; id, attributes and count stay", async () => {
    const clock = standingClock();
    const { client, fake, url: deadLetters } = setUp("orders-dlq", {}, clock);
    const url = fake.createQueue("orders", {
      VisibilityTimeout: 0,
      RedrivePolicy: { deadLetterTargetArn: fake.arn(deadLetters), maxReceiveCount: 2 },
    });
    const receive = (QueueUrl: string) =>
      client.send(new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ["All"] }));
    const { MessageId } = await client.send(
      new SendMessageCommand({ QueueUrl: url, MessageBody: "x" }),
    );
    await receive(url);
    await receive(url);
    expect(fake.messages(deadLetters)).toEqual([]);
    expect(await receive(url)).not.toHaveProperty("Messages");
    expect(fake.messages(url)).toEqual([]);
    expect(fake.deleted(url)).toEqual([]);
    const { Messages: [dead] = [] } = await receive(deadLetters);
    expect(dead).toMatchObject({
      MessageId,
      Body: "x",
      Attributes: { ApproximateReceiveCount: "3", DeadLetterQueueSourceArn: fake.arn(url) },
    });
  });

  test("the target must exist and be of the same kind", async () => {
    const { client, fake, url } = setUp("orders-dlq");
    const create = (QueueName: string, deadLetterTargetArn: string): Promise<unknown> => {
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: "3" });
      return client.send(new CreateQueueCommand({ QueueName, Attributes: { RedrivePolicy } }));
    };
    const invalid = { name: "InvalidParameterValue" };
    await expect(create("a", `${fake.arn(url)}x`)).rejects.toMatchObject(invalid);
    await expect(create("a.fifo", fake.arn(url))).rejects.toMatchObject(invalid);
    await expect(create("a", fake.arn(url))).resolves.toHaveProperty("QueueUrl");
  });
});

/** The result, or "waiting" where there is none yet. */
const settled = async <T>(promise: Promise<T>): Promise<T | "waiting"> => {
  const waiting = Promise.resolve()
    .then(() => vi.advanceTimersByTimeAsync(0))
    .then(() => "waiting" as const);
  return Promise.race([promise, waiting]);
};

describe("long polls", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("ends empty when the time is up", async () => {
    const { receiveBodies } = setUp("orders");
    const poll = receiveBodies({ WaitTimeSeconds: 20 });
    await vi.advanceTimersByTimeAsync(19_999);
    expect(await settled(poll)).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1);
    expect(await poll).toEqual([]);
  });

  test("the queue's wait time is the default", async () => {
    const { receiveBodies } = setUp("orders", { ReceiveMessageWaitTimeSeconds: 5 });
    const poll = receiveBodies();
    expect(await settled(poll)).toBe("waiting");
    await vi.advanceTimersByTimeAsync(5000);
    expect(await poll).toEqual([]);
  });

  test("one message ends one poll, the one that waited longest", async () => {
    const { receiveBodies, send } = setUp("orders");
    const first = receiveBodies({ WaitTimeSeconds: 20 });
    const second = receiveBodies({ WaitTimeSeconds: 20 });
    await send("x");
    expect(await first).toEqual(["x"]);
    expect(await settled(second)).toBe("waiting");
    await send("y");
    expect(await second).toEqual(["y"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a message that becomes visible ends a poll: delayed, or lapsed", async () => {
    const { client, receiveBodies, url } = setUp("orders", { VisibilityTimeout: 7 });
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: "x", DelaySeconds: 3 }));
    const delayed = receiveBodies({ WaitTimeSeconds: 20 });
    await vi.advanceTimersByTimeAsync(2999);
    expect(await settled(delayed)).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1);
    expect(await delayed).toEqual(["x"]);
    const lapsed = receiveBodies({ WaitTimeSeconds: 20 });
    await vi.advanceTimersByTimeAsync(6999);
    expect(await settled(lapsed)).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1);
    expect(await lapsed).toEqual(["x"]);
  });

  test("a delete opens its FIFO group for a waiting poll", async () => {
    const { client, receive, receiveBodies, send, url } = setUp("orders.fifo", {
      ContentBasedDeduplication: true,
    });
    await send("1", "g");
    await send("2", "g");
    const [leader] = await receive({ MaxNumberOfMessages: 1 });
    const poll = receiveBodies({ WaitTimeSeconds: 20 });
    expect(await settled(poll)).toBe("waiting");
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: leader?.ReceiptHandle }),
    );
    expect(await poll).toEqual(["2"]);
  });

  test("an aborted poll rejects, takes nothing, and leaves no listener", async () => {
    const { client, receiveBodies, send, url } = setUp("orders");
    const abort = new AbortController();
    const remove = vi.spyOn(abort.signal, "removeEventListener");
    const add = vi.spyOn(abort.signal, "addEventListener");
    const poll = client.send(new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 20 }), {
      abortSignal: abort.signal,
    });
    abort.abort();
    await expect(poll).rejects.toMatchObject({ name: "AbortError" });
    await send("x");
    expect(await receiveBodies()).toEqual(["x"]);
    expect(vi.getTimerCount()).toBe(0);
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length);
  });
});
