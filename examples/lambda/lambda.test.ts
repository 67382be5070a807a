import dns from "node:dns";
import { readFileSync } from "node:fs";
import { type Message, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import type { SqsEvent, SqsHandler } from "@babelqueue/sqs/lambda";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Endpoint, embedServer } from "../demo/endpoint.mjs";
import { Queues } from "../demo/queues.mjs";

const printed = vi.fn<(...args: unknown[]) => void>();
const failed = vi.fn<(...args: unknown[]) => void>();
const context = { getRemainingTimeInMillis: () => 30_000 };

let server: Endpoint;
let queueUrl = "";
let deadLetterQueueUrl = "";
let handler: SqsHandler;

beforeAll(async () => {
  server = await embedServer();
  const queues = new Queues(server.client, server.queuePrefix);
  queueUrl = await queues.create("orders");
  deadLetterQueueUrl = await queues.create("orders-dlq");
  vi.stubEnv("AWS_ENDPOINT_URL_SQS", new URL(queueUrl).origin);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  vi.stubEnv("QUEUE_URL", queueUrl);
  vi.stubEnv("DEAD_LETTER_QUEUE_URL", deadLetterQueueUrl);
  // the server's URLs are below .localhost, which is this machine; not every resolver knows
  const { lookup } = dns;
  vi.spyOn(dns, "lookup").mockImplementation(((name: string, ...rest: [never, never]) =>
    lookup(name.endsWith(".localhost") ? "127.0.0.1" : name, ...rest)) as typeof lookup);
  vi.spyOn(console, "log").mockImplementation(printed);
  vi.spyOn(console, "error").mockImplementation(failed);
  ({ handler } = await import("./handler.mjs"));
});
beforeEach(() => {
  printed.mockClear();
  failed.mockClear();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await server.close();
});

/** The event in the folder, as Lambda sends it. */
function eventOf(changes: object = {}): SqsEvent {
  const { Records } = JSON.parse(
    readFileSync(new URL("event.json", import.meta.url), "utf8"),
  ) as SqsEvent;
  return { Records: Records.map((record) => ({ ...record, ...changes })) };
}

const [{ body = "" } = {}] = eventOf().Records;

/** What Lambda received of the queue. */
async function delivered(MessageBody: string): Promise<SqsEvent> {
  await server.client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
  // one that a test before gave back may be there, too
  const messages = await receive(queueUrl);
  const { MessageId, ReceiptHandle, Body } =
    messages.find((message) => message.Body === MessageBody) ?? {};
  return eventOf({ messageId: MessageId, receiptHandle: ReceiptHandle, body: Body });
}

async function receive(QueueUrl: string): Promise<Message[]> {
  const { Messages = [] } = await server.client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ["All"],
    }),
  );
  return Messages;
}

test("the event is handled, and Lambda may delete its message", async () => {
  expect(await handler(eventOf(), context)).toEqual({ batchItemFailures: [] });
  expect(printed.mock.calls).toEqual([["Order 1042 is shipped"]]);
  expect(failed).not.toHaveBeenCalled();
});

test("an order that fails comes back, after the delay", async () => {
  const event = await delivered(body.replace('"quantity":3', '"quantity":0'));
  expect(await handler(event, context)).toEqual({
    batchItemFailures: [{ itemIdentifier: event.Records[0]?.messageId }],
  });
  expect(failed.mock.calls).toEqual([
    [event.Records[0]?.messageId, expect.any(String), expect.any(RangeError)],
  ]);
});

test("poison goes to the dead-letter queue", async () => {
  const event = await delivered("{");
  expect(await handler(event, context)).toEqual({ batchItemFailures: [] });
  const letters = await receive(deadLetterQueueUrl);
  expect(letters).toMatchObject([
    { MessageAttributes: { "bq-dead-letter-reason": { StringValue: "poison" } } },
  ]);
  const [{ Body = "" } = {}] = letters;
  const [[, , { message: refusal }]] = failed.mock.calls as [[unknown, unknown, Error]];
  expect(Body.replace(/"failed_at":\d{13},/, "")).toBe(
    `{"raw":"{","dead_letter":{"reason":"poison","error":"${refusal}","exception":null,` +
      '"original_queue":"orders","attempts":0,"lang":"node"}}',
  );
});

test("the template has what must not be missing", () => {
  const template = readFileSync(new URL("template.yaml", import.meta.url), "utf8");
  expect(template).toContain("- ReportBatchItemFailures");
  expect(template).toContain("sqs:ChangeMessageVisibility");
});
