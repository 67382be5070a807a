import {
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { FakeSqs } from "fake-sqs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient } from "./client.js";
import { fakeFront } from "./fake-front.js";
import { listen } from "./http.js";

let client: SQSClient;
let server: ReturnType<typeof fakeFront>;
let url: string;

beforeEach(async () => {
  const fake = new FakeSqs();
  url = fake.createQueue("orders.fifo");
  server = fakeFront(fake, () => ({}));
  client = createClient(`${await listen(server)}/path-of-a-client`, 1);
});

afterEach(() => {
  client.destroy();
  server.close();
});

test("the AWS SDK talks to the fake over HTTP, binary attributes and digests too", async () => {
  const MessageAttributes = {
    text: { DataType: "String", StringValue: "ü" },
    bytes: { DataType: "Binary", BinaryValue: new Uint8Array([0, 1, 255]) },
  };
  const { Successful } = await client.send(
    new SendMessageBatchCommand({
      QueueUrl: url,
      Entries: ["a", "b"].map((Id) => ({
        Id,
        MessageBody: `body ${Id}`,
        MessageGroupId: "group",
        MessageDeduplicationId: Id,
        MessageAttributes,
      })),
    }),
  );
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ["All"],
    }),
  );

  expect(Successful?.map(({ Id }) => Id)).toEqual(["a", "b"]);
  expect(Messages.map(({ Body }) => Body)).toEqual(["body a", "body b"]);
  expect(Messages[0]?.MessageAttributes).toEqual(MessageAttributes);
});

test("errors arrive as the SDK knows them", async () => {
  await expect(client.send(new GetQueueUrlCommand({ QueueName: "none" }))).rejects.toMatchObject({
    name: "QueueDoesNotExist",
    $fault: "client",
    $metadata: { httpStatusCode: 400 },
  });
  const noGroup = new SendMessageCommand({ QueueUrl: url, MessageBody: "body" });
  await expect(client.send(noGroup)).rejects.toMatchObject({ name: "MissingParameter" });
});

test("a client that goes away takes nothing", async () => {
  const gone = AbortSignal.timeout(50);
  const poll = new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 5 });
  await expect(client.send(poll, { abortSignal: gone })).rejects.toMatchObject({
    name: "AbortError",
  });
  const group = { MessageGroupId: "group", MessageDeduplicationId: "1" };
  await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: "body", ...group }));
  const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl: url }));

  expect(Messages).toHaveLength(1);
});
