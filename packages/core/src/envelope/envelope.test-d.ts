import { expectTypeOf, test } from "vitest";
import {
  createEnvelope,
  type DeadLetter,
  type DeadLetterReason,
  decodeEnvelope,
  type Envelope,
  encodeEnvelope,
  type JsonObject,
  type JsonValue,
  type Meta,
  SCHEMA_VERSION,
  SOURCE_LANG,
} from "../index.js";

interface Order {
  id: number;
  note?: string;
}

test("the constants are literals", () => {
  expectTypeOf(SCHEMA_VERSION).toEqualTypeOf<1>();
  expectTypeOf(SOURCE_LANG).toEqualTypeOf<"node">();
  expectTypeOf<Meta["schema_version"]>().toEqualTypeOf<1>();
});

test("an envelope keeps the type of its data, interfaces included", () => {
  const order: Order = { id: 1 };
  expectTypeOf(createEnvelope("urn:a", order)).toEqualTypeOf<Envelope<Order>>();
  expectTypeOf(createEnvelope("urn:a", order).data).toEqualTypeOf<Order>();
  expectTypeOf(encodeEnvelope).toBeCallableWith(createEnvelope("urn:a", order));
});

test("data is an object", () => {
  // @ts-expect-error a string is no data
  expectTypeOf(createEnvelope).toBeCallableWith("urn:a", "x");
  // @ts-expect-error null is no data
  expectTypeOf(createEnvelope).toBeCallableWith("urn:a", null);
});

test("an envelope has no index signature, and is read-only", () => {
  expectTypeOf<keyof Envelope>().toEqualTypeOf<
    "job" | "trace_id" | "data" | "meta" | "attempts" | "dead_letter"
  >();
  expectTypeOf<keyof Meta>().toEqualTypeOf<
    "id" | "queue" | "lang" | "schema_version" | "created_at"
  >();
  expectTypeOf<Envelope>().toEqualTypeOf<Readonly<Envelope>>();
});

test("what was received is JSON, with bigint", () => {
  expectTypeOf(decodeEnvelope("")).toEqualTypeOf<Envelope>();
  expectTypeOf<Envelope["data"]>().toEqualTypeOf<JsonObject>();
  expectTypeOf<bigint>().toExtend<JsonValue>();
  expectTypeOf<undefined>().not.toExtend<JsonValue>();
  expectTypeOf<Date>().not.toExtend<JsonValue>();
});

test("reasons are literals", () => {
  expectTypeOf<DeadLetterReason>().toEqualTypeOf<"failed" | "unknown_urn" | "poison">();
  expectTypeOf<DeadLetter["error"]>().toEqualTypeOf<string | null>();
});
