import {
  BatchEntryIdsNotDistinct,
  BatchRequestTooLong,
  EmptyBatchRequest,
  InvalidBatchEntryId,
  InvalidMessageContents,
  QueueDoesNotExist,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SendMessageCommandInput,
  TooManyEntriesInBatchRequest,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { setUp, standingClock } from "./setup.fixture.js";

const MIB = 1_048_576;

const entry = (Id: string, MessageBody = "x"): SendMessageBatchRequestEntry => ({
  Id,
  MessageBody,
});

describe("SendMessage", () => {
  const { client, url } = setUp("orders");
  const send = (input: Partial<SendMessageCommandInput>): Promise<unknown> =>
    client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: "x", ...input }));

  test("answers with the id and the digests", async () => {
    const MessageAttributes = { a: { DataType: "String", StringValue: "x" } };
    const answer = await client.send(
      new SendMessageCommand({ QueueUrl: url, MessageBody: "msg", MessageAttributes }),
    );
    expect(answer).toMatchObject({
      MessageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      MD5OfMessageBody: "6e2baaf3b97dbeef01c0043275f9a0e7",
      MD5OfMessageAttributes: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(answer).not.toHaveProperty("SequenceNumber");
  });

  test("an unknown queue", async () => {
    await expect(send({ QueueUrl: `${url}x` })).rejects.toBeInstanceOf(QueueDoesNotExist);
  });

  test.each([undefined, ""])("no body: %j", async (MessageBody) => {
    await expect(send({ MessageBody })).rejects.toMatchObject({ name: "MissingParameter" });
  });

  test("characters that SQS does not carry", async () => {
    await expect(send({ MessageBody: "\u0001" })).rejects.toBeInstanceOf(InvalidMessageContents);
    await expect(send({ MessageBody: "\uD83D" })).rejects.toBeInstanceOf(InvalidMessageContents);
    await expect(send({ MessageBody: "😀" })).resolves.toBeDefined();
  });

  test.each([-1, 901, 1.5])("a delay of %d seconds is refused", async (DelaySeconds) => {
    await expect(send({ DelaySeconds })).rejects.toMatchObject({ name: "InvalidParameterValue" });
  });

  test("the size counts the UTF-8 of body and attributes, to the byte", async () => {
    const MessageAttributes = { ab: { DataType: "String", StringValue: "é" } };
    const body = "é".repeat((MIB - 10) / 2);
    await expect(send({ MessageBody: body, MessageAttributes })).resolves.toBeDefined();
    await expect(send({ MessageBody: `${body}x`, MessageAttributes })).rejects.toMatchObject({
      name: "InvalidParameterValue",
      message: expect.stringContaining("shorter than 1048576 bytes"),
    });
  });

  test("a queue may allow less", async () => {
    const small = setUp("small", { MaximumMessageSize: 1024 });
    await expect(small.send("x".repeat(1024))).resolves.toBeUndefined();
    await expect(small.send("x".repeat(1025))).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
  });

  test("a deduplication id has no place in a standard queue, a group id has", async () => {
    await expect(send({ MessageDeduplicationId: "1" })).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
    const fair = setUp("fair");
    await fair.send("x", "tenant-1");
    const [message] = await fair.receive({ MessageSystemAttributeNames: ["MessageGroupId"] });
    expect(message?.Attributes).toEqual({ MessageGroupId: "tenant-1" });
  });

  test.each(["", "a b", "é", "a".repeat(129)])("the group id %j is refused", async (id) => {
    await expect(send({ MessageGroupId: id })).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
  });

  test("what is stored is a copy, the input stays as it is", async () => {
    const queue = setUp("copies");
    const attribute = { DataType: "Binary", BinaryValue: Uint8Array.of(1) };
    const input = { QueueUrl: queue.url, MessageBody: "x", MessageAttributes: { a: attribute } };
    const before = structuredClone(input);
    await queue.client.send(new SendMessageCommand(input));
    expect(input).toEqual(before);
    attribute.BinaryValue[0] = 2;
    const [message] = await queue.receive({ MessageAttributeNames: ["All"] });
    expect(message?.MessageAttributes?.["a"]?.BinaryValue).toEqual(Uint8Array.of(1));
  });

  test("a delayed message is visible when its delay is over, the queue's delay is the default", async () => {
    const clock = standingClock();
    const slow = setUp("slow", { DelaySeconds: 5 }, clock);
    await slow.send("default");
    await slow.client.send(
      new SendMessageCommand({ QueueUrl: slow.url, MessageBody: "own", DelaySeconds: 2 }),
    );
    expect(await slow.receiveBodies()).toEqual([]);
    clock.pass(2);
    expect(await slow.receiveBodies()).toEqual(["own"]);
    clock.pass(3);
    expect(await slow.receiveBodies()).toEqual(["default"]);
  });
});

describe("SendMessageBatch", () => {
  const { client, url } = setUp("batches");
  const sendAll = (Entries: SendMessageBatchRequestEntry[]) =>
    client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));

  test("leaves out the list that would be empty", async () => {
    const good = await sendAll([entry("a")]);
    expect(good.Successful).toMatchObject([{ Id: "a", MessageId: expect.any(String) }]);
    expect(good).not.toHaveProperty("Failed");
    const bad = await sendAll([entry("a", "\u0000")]);
    expect(bad.Failed).toEqual([
      {
        Id: "a",
        Code: "InvalidMessageContents",
        SenderFault: true,
        Message: expect.stringContaining("#x0"),
      },
    ]);
    expect(bad).not.toHaveProperty("Successful");
  });

  test("a refused entry does not keep the others", async () => {
    const answer = await sendAll([entry("a"), { ...entry("b"), DelaySeconds: 901 }, entry("c")]);
    expect(answer.Successful?.map(({ Id }) => Id)).toEqual(["a", "c"]);
    expect(answer.Failed).toMatchObject([{ Id: "b", Code: "InvalidParameterValue" }]);
  });

  test("refusals of the whole request", async () => {
    const eleven = Array.from({ length: 11 }, (_, index) => entry(String(index)));
    await expect(sendAll([])).rejects.toBeInstanceOf(EmptyBatchRequest);
    await expect(sendAll(eleven)).rejects.toBeInstanceOf(TooManyEntriesInBatchRequest);
    await expect(sendAll(eleven.slice(1))).resolves.toBeDefined();
    await expect(sendAll([entry("a"), entry("a")])).rejects.toBeInstanceOf(
      BatchEntryIdsNotDistinct,
    );
  });

  test.each(["", "a b", "a.b", "a".repeat(81)])("the entry id %j is refused", async (id) => {
    await expect(sendAll([entry(id)])).rejects.toBeInstanceOf(InvalidBatchEntryId);
  });

  test("1 MiB altogether, to the byte", async () => {
    const half = "x".repeat(MIB / 2);
    await expect(sendAll([entry("a", half), entry("b", half)])).resolves.not.toHaveProperty(
      "Failed",
    );
    await expect(sendAll([entry("a", half), entry("b", `${half}x`)])).rejects.toBeInstanceOf(
      BatchRequestTooLong,
    );
  });
});

describe("to a FIFO queue", () => {
  const { client, url } = setUp("orders.fifo");
  const full = { MessageBody: "x", MessageGroupId: "g", MessageDeduplicationId: "d" };
  const send = (input: Partial<SendMessageCommandInput>): Promise<unknown> =>
    client.send(new SendMessageCommand({ QueueUrl: url, ...full, ...input }));

  test("needs a group id, and a deduplication id", async () => {
    await expect(send({ MessageGroupId: undefined })).rejects.toMatchObject({
      name: "MissingParameter",
    });
    await expect(send({ MessageDeduplicationId: undefined })).rejects.toMatchObject({
      name: "InvalidParameterValue",
      message: expect.stringContaining("ContentBasedDeduplication"),
    });
  });

  test("an entry without them refuses the whole batch", async () => {
    const Entries = [
      { Id: "a", ...full },
      { Id: "b", MessageBody: "x", MessageDeduplicationId: "e" },
    ];
    await expect(
      client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries })),
    ).rejects.toMatchObject({ name: "InvalidParameterValue" });
  });

  test("takes no delay but zero", async () => {
    await expect(send({ DelaySeconds: 1 })).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
    await expect(send({ DelaySeconds: 0 })).resolves.toHaveProperty("SequenceNumber");
  });
});
