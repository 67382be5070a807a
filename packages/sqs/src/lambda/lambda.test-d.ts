import type { Message, SQSClient } from "@aws-sdk/client-sqs";
import { type Envelope, exponentialBackoff, type JsonObject, UrnRouter } from "@babelqueue/core";
import type { Context, SQSBatchResponse, SQSEvent, SQSHandler, SQSRecord } from "aws-lambda";
import { expectTypeOf, test } from "vitest";
import {
  createSqsHandler,
  type LambdaContext,
  type SqsBatchResponse,
  type SqsEvent,
  type SqsHandler,
  type SqsHandlerOptions,
  type SqsRecord,
} from "../lambda.js";

declare const client: SQSClient;
declare const event: SQSEvent;
declare const context: Context;

test("the types of @types/aws-lambda fit", () => {
  expectTypeOf<SQSEvent>().toExtend<SqsEvent>();
  expectTypeOf<SQSRecord>().toExtend<SqsRecord>();
  expectTypeOf<Context>().toExtend<LambdaContext>();
  expectTypeOf<SqsBatchResponse>().toExtend<SQSBatchResponse>();
  expectTypeOf<SQSBatchResponse>().toExtend<SqsBatchResponse>();
  expectTypeOf<SqsHandler>().toExtend<SQSHandler>();
  expectTypeOf(createSqsHandler({})(event, context)).resolves.toExtend<SQSBatchResponse>();
  const handler: SQSHandler = createSqsHandler({});
  void handler;
});

test("an event in a test need not have all that Lambda sends", () => {
  const record = { messageId: "m", body: "{}", eventSourceARN: "arn:aws:sqs:us-east-1:1:q" };
  expectTypeOf({ Records: [record] }).toExtend<SqsEvent>();
  expectTypeOf(
    createSqsHandler({})({ Records: [record] }),
  ).resolves.toEqualTypeOf<SqsBatchResponse>();
  // @ts-expect-error without an id its failure could not be reported
  void createSqsHandler({})({ Records: [{ body: "{}", eventSourceARN: "" }] });
});

test("it takes what a consumer takes", () => {
  void createSqsHandler(new UrnRouter<Message>());
  void createSqsHandler(new UrnRouter());
  void createSqsHandler({
    "urn:a": (envelope: Envelope<{ id: number }>) => envelope.data.id,
    "urn:b": ({ data }, message, { signal }) => {
      expectTypeOf(data).toEqualTypeOf<JsonObject>();
      expectTypeOf(message).toEqualTypeOf<Message>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    },
  });
  // @ts-expect-error a router for another broker's messages
  void createSqsHandler(new UrnRouter<{ offset: number }>());
});

test("options may be undefined, as they come from a configuration", () => {
  type Explicit<T> = { [K in keyof T]-?: undefined };
  expectTypeOf<Explicit<SqsHandlerOptions>>().toExtend<SqsHandlerOptions>();
  void ({
    client,
    deadLetterQueueUrl: "https://sqs.us-east-1.amazonaws.com/1/dlq",
    releaseDelaySeconds: exponentialBackoff(),
    queueUrl: (arn) => arn,
    onError: (_error, envelope, message) => {
      expectTypeOf(envelope).toEqualTypeOf<Envelope | null>();
      expectTypeOf(message).toEqualTypeOf<Message | null>();
    },
  } satisfies SqsHandlerOptions);
});
