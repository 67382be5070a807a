import { SQSClient } from "@aws-sdk/client-sqs";
import { InvalidArgumentError } from "@babelqueue/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { rejection, thrownBy, URN } from "../contract.fixture.js";
import { SqsConsumer, SqsPublisher } from "../index.js";
import { FakeServer } from "../servers.fixture.js";
import { startSqs } from "../testing.js";

const { client } = new FakeServer();
const QUEUE_URL = "https://sqs.eu-central-1.amazonaws.com/123456789012/orders";
const refusal = (argument: string): object => ({ code: "invalid_argument", argument });

test.each<[string, unknown]>([
  ["null", null],
  ["nothing", undefined],
  ["an object without send", {}],
  ["options of a client", { region: "eu-central-1" }],
])("a client that is %s is refused by both", (_, odd) => {
  expect(thrownBy(() => new SqsPublisher(odd as never, QUEUE_URL))).toMatchObject(
    refusal("client"),
  );
  expect(thrownBy(() => new SqsConsumer(odd as never, QUEUE_URL, {}))).toMatchObject(
    refusal("client"),
  );
});

test("a client of the AWS SDK without a region: publish and run say so, and do not go on", async () => {
  for (const name of ["AWS_REGION", "AWS_PROFILE"]) vi.stubEnv(name, undefined);
  for (const name of ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"]) vi.stubEnv(name, "/none");
  onTestFinished(() => void vi.unstubAllEnvs());
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const homeless = new SQSClient({ credentials });
  const failure = { code: "RegionMissing", senderFault: true };
  const publisher = new SqsPublisher(homeless, QUEUE_URL);
  expect(await rejection(publisher.publish(URN, {}))).toMatchObject(failure);
  expect(await rejection(new SqsConsumer(homeless, QUEUE_URL, {}).run())).toMatchObject(failure);
});

test("a queue is not its own dead-letter queue", () => {
  const options = { deadLetterQueueUrl: QUEUE_URL };
  expect(thrownBy(() => new SqsConsumer(client, QUEUE_URL, {}, options))).toMatchObject(
    refusal("deadLetterQueueUrl"),
  );
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["a Map", new Map([[URN, () => undefined]])],
  ["an array", []],
])("handlers that are %s are refused", (_, handlers) => {
  expect(thrownBy(() => new SqsConsumer(client, QUEUE_URL, handlers as never))).toMatchObject(
    refusal("handlers"),
  );
});

test("what is no AbortSignal is refused, and the consumer runs afterwards", async () => {
  const consumer = new SqsConsumer(client, QUEUE_URL, {});
  const odd = { signal: new AbortController().signal } as never;
  expect(await rejection(consumer.run(odd))).toMatchObject(refusal("signal"));
  expect(await rejection(consumer.poll(odd))).toMatchObject(refusal("signal"));
  await consumer.run(AbortSignal.abort());
  expect(consumer.stats().inFlight).toBe(0);
});

test.each<[string, object, string]>([
  ["a group id that is a number", { messageGroupId: 7 }, "messageGroupId"],
  ["a deduplication id that is a number", { deduplicationId: 7 }, "deduplicationId"],
  ["a group id with a space", { messageGroupId: "tenant 7" }, "messageGroupId"],
  ["a group id beyond ASCII", { messageGroupId: "ä" }, "messageGroupId"],
  ["a deduplication id of 129 characters", { deduplicationId: "a".repeat(129) }, "deduplicationId"],
  ["a Map of headers", { headers: new Map([["a", "b"]]) }, "headers"],
  ["the Headers of fetch", { headers: new Headers({ a: "b" }) }, "headers"],
  ["a list of headers", { headers: [["a", "b"]] }, "headers"],
  ["text for headers", { headers: "a: b" }, "headers"],
])("%s is refused", async (_, options, argument) => {
  const publisher = new SqsPublisher(client, `${QUEUE_URL}.fifo`);
  expect(await rejection(publisher.publish(URN, {}, options))).toMatchObject(refusal(argument));
});

test("ids of 128 characters of every kind are taken", async () => {
  const server = new FakeServer();
  const url = await server.createQueue("fifo");
  const id =
    String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index)) + "a".repeat(34);
  await new SqsPublisher(server.client, url).publish(
    URN,
    {},
    { messageGroupId: id, deduplicationId: id },
  );
  expect(await server.letters(url)).toMatchObject([{ group: id, deduplicationId: id }]);
});

test("a header that is no text is left out, and the warning says why", async () => {
  const server = new FakeServer();
  const warnings: object[] = [];
  const url = await server.createQueue();
  const onWarning = (warning: object): unknown => warnings.push(warning);
  await new SqsPublisher(server.client, url, { onWarning }).publish(URN, {}, {
    headers: { tenant: 7 },
  } as never);
  expect(warnings).toMatchObject([
    { header: "tenant", message: expect.stringContaining("must be a string, and is a number") },
  ]);
});

test("a batch that is no array is refused, and in one that is, what is no message", async () => {
  const publisher = new SqsPublisher(client, QUEUE_URL);
  for (const odd of [undefined, {}, new Set()]) {
    expect(await rejection(publisher.publishBatch(odd as never))).toMatchObject(
      refusal("messages"),
    );
  }
  const { results } = await publisher.publishBatch([null, "x"] as never);
  expect(results).toMatchObject([
    { ok: false, error: refusal("messages") },
    { ok: false, error: refusal("messages") },
  ]);
});

test("a send middleware that returns no function is refused at once", () => {
  const options = { middleware: [async () => async () => []] };
  expect(thrownBy(() => new SqsPublisher(client, QUEUE_URL, options as never))).toMatchObject(
    refusal("middleware"),
  );
});

test("queues that are no list are refused before a server is started", async () => {
  await expect(startSqs({ queues: "orders" as never })).rejects.toThrow(InvalidArgumentError);
});
