import type { Message, SQSClient } from "@aws-sdk/client-sqs";
import {
  createEnvelope,
  type Envelope,
  exponentialBackoff,
  type Handler,
  type JsonObject,
  type MessageDefinition,
  type Routes,
  type SendMiddleware,
  type StandardSchema,
  type UnknownUrnStrategy,
  UrnRouter,
  type Warning,
} from "@babelqueue/core";
import { expectTypeOf, test } from "vitest";
import {
  type BatchMessage,
  headersOf,
  type MessageTooLargeError,
  type PublishBatchResult,
  type PublishResult,
  type SqsClient,
  SqsConsumer,
  type SqsConsumerOptions,
  type SqsConsumerStats,
  SqsPublisher,
  type SqsPublisherOptions,
  type SqsRequestError,
  type SqsSendError,
  toMessageAttributes,
} from "./index.js";

interface Order {
  id: number;
  note?: string;
}

declare const client: SQSClient;
declare const order: Order;
declare const routes: Routes<Message>;
declare const Ordered: MessageDefinition<
  StandardSchema<{ id: number; at: string }, { id: number; at: Date }>
>;
const url = "https://sqs.eu-central-1.amazonaws.com/123456789012/orders";

test("the SDK's client is one, and so is anything with its send", () => {
  expectTypeOf<SQSClient>().toExtend<SqsClient>();
  expectTypeOf<{ send: SQSClient["send"] }>().toExtend<SqsClient>();
});

test("a publisher takes interface-typed data, and nothing that is no object", () => {
  const publisher = new SqsPublisher(client, url);
  expectTypeOf(publisher.publish("urn:a", order)).resolves.toEqualTypeOf<string>();
  expectTypeOf(publisher.publishEnvelope(createEnvelope("urn:a", order))).resolves.toBeString();
  expectTypeOf(
    publisher.publishBatch([{ urn: "urn:a", data: order, delaySeconds: 1 }]),
  ).resolves.toEqualTypeOf<PublishBatchResult>();
  expectTypeOf(publisher.flush()).resolves.toBeVoid();
  // @ts-expect-error a string is no payload
  void publisher.publish("urn:a", "data");
  // @ts-expect-error null is no payload
  void publisher.publish("urn:a", null);
  // @ts-expect-error each message of a batch has data
  void publisher.publishBatch([{ urn: "urn:a" }]);
  // @ts-expect-error an envelope has its own trace_id
  void publisher.publishEnvelope(createEnvelope("urn:a", order), { traceId: "t" });
});

test("a publisher takes the input of a definition's schema, and of a URN what its type says", () => {
  const publisher = new SqsPublisher(client, url);
  expectTypeOf(publisher.publish(Ordered, { id: 1, at: "" })).resolves.toEqualTypeOf<string>();
  expectTypeOf(publisher.publish<Order>("urn:a", { id: 1 })).resolves.toBeString();
  const mixed = [
    { urn: Ordered, data: { id: 1, at: "" }, messageGroupId: "g" },
    { urn: "urn:a", data: order },
  ] as const;
  expectTypeOf(publisher.publishBatch(mixed)).resolves.toEqualTypeOf<PublishBatchResult>();
  const ids = [1, 2];
  void publisher.publishBatch(ids.map((id) => ({ urn: Ordered, data: { id, at: "" } })));
  void publisher.publishBatch(ids.map((id) => ({ urn: "urn:a", data: { id } })));
  const plain: BatchMessage[] = [{ urn: "urn:a", data: order }];
  void publisher.publishBatch(plain);
  const typed: BatchMessage<typeof Ordered>[] = [{ urn: Ordered, data: { id: 1, at: "" } }];
  void publisher.publishBatch(typed);
  // @ts-expect-error a member is missing
  void publisher.publish(Ordered, { id: 1 });
  // @ts-expect-error a Date is what comes out, not what goes in
  void publisher.publish(Ordered, { id: 1, at: new Date() });
  // @ts-expect-error the type parameter is held to
  void publisher.publish<Order>("urn:a", { id: "1" });
  // @ts-expect-error neither a URN nor a definition
  void publisher.publish({ urn: "urn:a" }, order);
  void publisher.publishBatch([
    { urn: Ordered, data: { id: 1, at: "" } },
    // @ts-expect-error a member has the wrong type
    { urn: Ordered, data: { id: "1", at: "" } },
    { urn: "urn:a", data: { any: "object" } },
  ]);
  // @ts-expect-error the same, made elsewhere
  void publisher.publishBatch(ids.map((id) => ({ urn: Ordered, data: { id } })));
});

test("results are told apart by ok", () => {
  expectTypeOf<Extract<PublishResult, { ok: true }>["id"]>().toBeString();
  expectTypeOf<Extract<PublishResult, { ok: false }>["error"]>().toEqualTypeOf<Error>();
  expectTypeOf<PublishBatchResult["results"]>().toEqualTypeOf<readonly PublishResult[]>();
});

test("options may be undefined, as they come from a configuration", () => {
  type Explicit<T> = { [K in keyof T]-?: undefined };
  expectTypeOf<Explicit<SqsConsumerOptions>>().toExtend<SqsConsumerOptions>();
  expectTypeOf<Explicit<SqsPublisherOptions>>().toExtend<SqsPublisherOptions>();
  expectTypeOf<{ middleware: readonly SendMiddleware[] }>().toExtend<SqsPublisherOptions>();
});

test("a consumer takes a router or a record, whose handlers say what their data is", () => {
  const handler: Handler<Order> = ({ data }) => expectTypeOf(data).toEqualTypeOf<Order>();
  void new SqsConsumer(client, url, new UrnRouter().on("urn:a", handler));
  void new SqsConsumer(client, url, new UrnRouter<Message>().on("urn:a", handler));
  void new SqsConsumer(client, url, routes);
  void new SqsConsumer(client, url, {
    "urn:a": (envelope: Envelope<{ id: number }>) => envelope.data.id,
    "urn:b": (envelope, message, { headers, signal }) => {
      expectTypeOf(envelope.data).toEqualTypeOf<JsonObject>();
      expectTypeOf(message).toEqualTypeOf<Message>();
      expectTypeOf(headers).toEqualTypeOf<Readonly<Record<string, string>>>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    },
  });
  // @ts-expect-error a router for another broker's messages
  void new SqsConsumer(client, url, new UrnRouter<{ offset: number }>());
});

test("hooks are told the envelope and the native message", () => {
  const options: SqsConsumerOptions = {
    onError: (error, envelope, message) => {
      expectTypeOf(error).toBeUnknown();
      expectTypeOf(envelope).toEqualTypeOf<Envelope | null>();
      expectTypeOf(message).toEqualTypeOf<Message | null>();
    },
    onWarning: (warning) => expectTypeOf(warning).toEqualTypeOf<Warning>(),
    onUnknownUrn: (envelope, message) => {
      expectTypeOf(envelope).toEqualTypeOf<Envelope>();
      expectTypeOf(message).toEqualTypeOf<Message>();
    },
    releaseDelaySeconds: exponentialBackoff(),
  };
  expectTypeOf(options.unknownUrnStrategy).toEqualTypeOf<UnknownUrnStrategy | undefined>();
  // @ts-expect-error no such strategy
  void ({ unknownUrnStrategy: "ignore" } satisfies SqsConsumerOptions);
});

test("a consumer's methods", () => {
  const consumer = new SqsConsumer(client, url, {});
  const { signal } = new AbortController();
  expectTypeOf(consumer.poll(signal)).resolves.toBeNumber();
  expectTypeOf(consumer.run(signal)).resolves.toBeVoid();
  expectTypeOf(consumer.stop()).resolves.toBeVoid();
  expectTypeOf(consumer.poll()).resolves.toBeNumber();
  expectTypeOf(consumer.stats()).toEqualTypeOf<SqsConsumerStats>();
  expectTypeOf(consumer[Symbol.asyncDispose]()).resolves.toBeVoid();
});

test("attributes and headers", () => {
  expectTypeOf(toMessageAttributes(createEnvelope("urn:a", order))).toExtend<
    Message["MessageAttributes"]
  >();
  expectTypeOf(headersOf).toEqualTypeOf<(message: Message) => Record<string, string>>();
});

test("errors", () => {
  expectTypeOf<SqsSendError>().toExtend<SqsRequestError>();
  expectTypeOf<Pick<SqsRequestError, "code" | "senderFault">>().toEqualTypeOf<{
    readonly code: string;
    readonly senderFault: boolean;
  }>();
  expectTypeOf<MessageTooLargeError["code"]>().toEqualTypeOf<"message_too_large">();
});
