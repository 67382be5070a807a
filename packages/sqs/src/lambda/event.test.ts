import { UrnRouter } from "@babelqueue/core";
import { expect, test } from "vitest";
import { bodyText, TRACE_ID, URN } from "../contract.fixture.js";
import { createSqsHandler } from "../lambda.js";
import { toMessage } from "./event.js";

/** As in the AWS Lambda Developer Guide, "Using Lambda with Amazon SQS", with ids of our own. */
const STANDARD = {
  Records: [
    {
      messageId: "2b7f0c1e-5d34-4c1a-9a52-7f1de3b0a001",
      receiptHandle: "AQEBkZ3vT1r+Xw/0a9==",
      body: bodyText(),
      attributes: {
        ApproximateReceiveCount: "3",
        SentTimestamp: "1749132727123",
        SenderId: "AIDAEXAMPLESENDER0001",
        ApproximateFirstReceiveTimestamp: "1749132727200",
      },
      messageAttributes: {
        "bq-job": {
          stringValue: URN,
          stringListValues: [],
          binaryListValues: [],
          dataType: "String",
        },
        "bq-schema-version": {
          stringValue: "1",
          stringListValues: [],
          binaryListValues: [],
          dataType: "Number",
        },
        tenant: {
          stringValue: "acme",
          stringListValues: [],
          binaryListValues: [],
          dataType: "String",
        },
        raw: {
          binaryValue: "AP+A",
          stringListValues: [],
          binaryListValues: [],
          dataType: "Binary",
        },
      },
      md5OfBody: "0f343b0931126a20f133d67c2b018a3b",
      eventSource: "aws:sqs",
      eventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:orders",
      awsRegion: "eu-central-1",
    },
  ],
};

const FIFO = {
  Records: STANDARD.Records.map((record) => ({
    ...record,
    attributes: {
      ...record.attributes,
      SequenceNumber: "18849496460467696128",
      MessageGroupId: "account-7",
      MessageDeduplicationId: "f1e2d3c4",
    },
    eventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:orders.fifo",
  })),
};

test.each([
  ["standard", STANDARD, "orders"],
  ["FIFO", FIFO, "orders.fifo"],
])("an event of a %s queue, as Lambda sends it", async (_, event, queue) => {
  const seen: object[] = [];
  const router = new UrnRouter().on(URN, (envelope, message, { headers }) => {
    seen.push({ envelope, message, headers });
  });
  const queues: string[] = [];
  const handler = createSqsHandler(router, {
    middleware: [
      (next) => (received) => {
        queues.push(`${received.delivery.system} ${received.delivery.queue}`);
        return next(received);
      },
    ],
  });
  const parsed = JSON.parse(JSON.stringify(event)) as typeof event;
  const frozen = JSON.stringify(parsed);
  expect(await handler(parsed, { getRemainingTimeInMillis: () => 30_000 })).toEqual({
    batchItemFailures: [],
  });
  expect(JSON.stringify(parsed), "arguments are not changed").toBe(frozen);
  expect(queues).toEqual([`aws.sqs ${queue}`]);
  expect(seen).toEqual([
    {
      envelope: expect.objectContaining({ job: URN, trace_id: TRACE_ID, attempts: 2 }),
      headers: { tenant: "acme" },
      message: {
        MessageId: "2b7f0c1e-5d34-4c1a-9a52-7f1de3b0a001",
        ReceiptHandle: "AQEBkZ3vT1r+Xw/0a9==",
        Body: bodyText(),
        MD5OfBody: "0f343b0931126a20f133d67c2b018a3b",
        Attributes: event.Records[0]?.attributes,
        MessageAttributes: {
          "bq-job": { DataType: "String", StringValue: URN },
          "bq-schema-version": { DataType: "Number", StringValue: "1" },
          tenant: { DataType: "String", StringValue: "acme" },
          raw: { DataType: "Binary", BinaryValue: new Uint8Array([0, 255, 128]) },
        },
      },
    },
  ]);
});

test("an attribute may have any name", () => {
  const attribute = { dataType: "String", stringValue: "x" };
  const messageAttributes = JSON.parse(`{"__proto__":${JSON.stringify(attribute)}}`) as object;
  const { MessageAttributes } = toMessage({
    messageId: "m",
    eventSourceARN: "",
    messageAttributes: messageAttributes as Record<string, typeof attribute>,
  });
  expect(Object.keys(MessageAttributes ?? {})).toEqual(["__proto__"]);
});
