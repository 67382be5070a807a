import { expectTypeOf, test } from "vitest";
import {
  type BabelQueueError,
  type Consume,
  type ConsumeMiddleware,
  type ConsumeOptions,
  createConsume,
  type Envelope,
  exponentialBackoff,
  type InvalidEnvelopeError,
  type InvalidPayloadError,
  type Outcome,
  type Received,
  type Route,
  type Send,
  type SendResult,
  type UnknownUrnError,
  UnknownUrnStrategy,
  type UnsupportedSchemaVersionError,
  UrnRouter,
} from "../index.js";

interface Native {
  receipt: string;
}

test("outcomes are told apart by kind; each has an envelope, and all but ack may have an error", () => {
  expectTypeOf<Outcome["kind"]>().toEqualTypeOf<
    "ack" | "drop" | "release" | "leave" | "dead-letter"
  >();
  expectTypeOf<Outcome["envelope"]>().toEqualTypeOf<Envelope | null>();
  expectTypeOf<Extract<Outcome, { kind: "ack" }>["envelope"]>().toEqualTypeOf<Envelope>();
  expectTypeOf<Extract<Outcome, { kind: "ack" }>>().not.toHaveProperty("error");
  expectTypeOf<Exclude<Outcome, { kind: "ack" }>["error"]>().toEqualTypeOf<Error | undefined>();
});

test("a consumer is typed by the native message", () => {
  const options: ConsumeOptions<Native> = {
    deadLetters: true,
    onError: (error, envelope, message) => {
      expectTypeOf(error).toEqualTypeOf<unknown>();
      expectTypeOf(envelope).toEqualTypeOf<Envelope | null>();
      expectTypeOf(message).toEqualTypeOf<Native | null>();
    },
    onUnknownUrn: (envelope, message) => {
      expectTypeOf(envelope).toEqualTypeOf<Envelope>();
      expectTypeOf(message).toEqualTypeOf<Native>();
    },
    releaseDelaySeconds: exponentialBackoff(),
  };
  expectTypeOf(createConsume(new UrnRouter<Native>(), options)).toEqualTypeOf<Consume<Native>>();
  // @ts-expect-error a transport says whether it has a dead-letter queue
  expectTypeOf(createConsume).toBeCallableWith(new UrnRouter(), {});
});

test("strategies are these literals, and a middleware for any transport fits each", () => {
  expectTypeOf<UnknownUrnStrategy>().toEqualTypeOf<"fail" | "delete" | "release" | "dead_letter">();
  expectTypeOf(UnknownUrnStrategy.DEAD_LETTER).toEqualTypeOf<"dead_letter">();
  expectTypeOf<<T>(next: Route<T>) => Route<T>>().toExtend<ConsumeMiddleware<Native>>();
});

test("errors have literal codes", () => {
  expectTypeOf<InvalidEnvelopeError["code"]>().toEqualTypeOf<"invalid_envelope">();
  expectTypeOf<InvalidPayloadError["code"]>().toEqualTypeOf<"invalid_payload">();
  expectTypeOf<UnknownUrnError["code"]>().toEqualTypeOf<"unknown_urn">();
  expectTypeOf<
    UnsupportedSchemaVersionError["code"]
  >().toEqualTypeOf<"unsupported_schema_version">();
  expectTypeOf<Received["refusal"]>().toEqualTypeOf<BabelQueueError | null>();
});

test("a send gives one result a message", () => {
  expectTypeOf<Send>().returns.resolves.toEqualTypeOf<readonly SendResult[]>();
});
