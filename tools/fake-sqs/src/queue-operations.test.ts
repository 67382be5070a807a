import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  InvalidAttributeName,
  PurgeQueueCommand,
  QueueDoesNotExist,
  QueueNameExists,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { setUp } from "./setup.fixture.js";

test("a queue has AWS's URL, found by name", async () => {
  const { client, url } = setUp("orders.fifo");
  expect(url).toBe("https://sqs.eu-central-1.amazonaws.com/123456789012/orders.fifo");
  const found = await client.send(new GetQueueUrlCommand({ QueueName: "orders.fifo" }));
  expect(found.QueueUrl).toBe(url);
  await expect(client.send(new GetQueueUrlCommand({ QueueName: "x" }))).rejects.toBeInstanceOf(
    QueueDoesNotExist,
  );
});

test("creating again gives the same queue, with other attributes an error", async () => {
  const { client, fake, url } = setUp("orders");
  expect(fake.createQueue("orders")).toBe(url);
  const Attributes = { DelaySeconds: "1" };
  await expect(
    client.send(new CreateQueueCommand({ QueueName: "orders", Attributes })),
  ).rejects.toBeInstanceOf(QueueNameExists);
});

test.each([
  ["a b", {}],
  ["x".repeat(81), {}],
  [`${"x".repeat(76)}.fifo`, {}],
  ["a", { FifoQueue: true }],
  ["a.fifo", { FifoQueue: "false" }],
  ["a", { VisibilityTimeout: 43_201 }],
  ["a", { VisibilityTimeout: "x" }],
  ["a", { MaximumMessageSize: 1023 }],
  ["a", { RedrivePolicy: "{" }],
])("createQueue(%j, %j) is refused", (name, attributes) => {
  const { fake } = setUp("other");
  expect(() => fake.createQueue(name, attributes)).toThrow(Error);
});

test("the approximate numbers, all or by name", async () => {
  const { client, receive, send, url } = setUp("orders");
  for (const body of ["a", "b", "c"]) await send(body);
  await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: "d", DelaySeconds: 9 }));
  await receive({ MaxNumberOfMessages: 1 });
  const all = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["All"] }),
  );
  expect(all.Attributes).toMatchObject({
    ApproximateNumberOfMessages: "2",
    ApproximateNumberOfMessagesNotVisible: "1",
    ApproximateNumberOfMessagesDelayed: "1",
    VisibilityTimeout: "30",
    QueueArn: "arn:aws:sqs:eu-central-1:123456789012:orders",
  });
  const one = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["DelaySeconds"] }),
  );
  expect(one.Attributes).toEqual({ DelaySeconds: "0" });
  await expect(
    client.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["FifoQueue"] })),
  ).rejects.toBeInstanceOf(InvalidAttributeName);
});

test("a purged queue is empty, and nothing counts as deleted", async () => {
  const { client, fake, send, url } = setUp("orders");
  await send("a");
  await client.send(new PurgeQueueCommand({ QueueUrl: url }));
  expect(fake.messages(url)).toEqual([]);
  expect(fake.deleted(url)).toEqual([]);
});
