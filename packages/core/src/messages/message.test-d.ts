import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { type } from "arktype";
import type * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  createConsume,
  createEnvelope,
  defineMessage,
  type Envelope,
  type Handler,
  type HandlerContext,
  type IdempotencyStore,
  type InferInput,
  type InferOutput,
  type InvalidPayloadError,
  idempotent,
  type JsonObject,
  type MessageDefinition,
  memoryStore,
  type NotRememberedError,
  type PayloadIssue,
  type PayloadOf,
  type PayloadRefusedError,
  prepareEnvelope,
  type StandardSchema,
  UrnRouter,
} from "../index.js";
import {
  arktypeOrder,
  type Order,
  type SentOrder,
  valibotOrder,
  zodOrder,
} from "./schemas.fixture.js";

interface Native {
  receipt: string;
}

declare const sent: SentOrder;
declare const handleOrder: Handler<Order, Native>;
declare const handleSentOrder: (envelope: Envelope<SentOrder>) => void;
const ByZod = defineMessage({ urn: "urn:zod", schema: zodOrder });
const ByValibot = defineMessage({ urn: "urn:valibot", schema: valibotOrder });
const ByArktype = defineMessage({ urn: "urn:arktype", schema: arktypeOrder });

describe("our types of Standard Schema", () => {
  test("are those of @standard-schema/spec, as far as they go", () => {
    expectTypeOf<StandardSchemaV1<SentOrder, Order>>().toExtend<StandardSchema<SentOrder, Order>>();
    expectTypeOf<StandardSchema<SentOrder, Order>>().toExtend<StandardSchemaV1<SentOrder, Order>>();
    expectTypeOf<StandardSchemaV1>().toExtend<StandardSchema>();
    expectTypeOf<StandardSchemaV1<SentOrder, Order>>().toExtend<StandardSchema>();
    expectTypeOf<StandardSchemaV1<Order>>().not.toExtend<StandardSchema<SentOrder>>();
  });

  test("infer what the spec and each library infer", () => {
    expectTypeOf<InferInput<typeof zodOrder>>().toEqualTypeOf<
      StandardSchemaV1.InferInput<typeof zodOrder>
    >();
    expectTypeOf<InferOutput<typeof zodOrder>>().toEqualTypeOf<z.output<typeof zodOrder>>();
    expectTypeOf<InferOutput<typeof valibotOrder>>().toEqualTypeOf<
      v.InferOutput<typeof valibotOrder>
    >();
    expectTypeOf<InferInput<typeof arktypeOrder>>().toEqualTypeOf<
      type.infer.In<typeof arktypeOrder>
    >();
    expectTypeOf<InferOutput<typeof arktypeOrder>>().toEqualTypeOf<
      type.infer.Out<typeof arktypeOrder>
    >();
  });
});

describe("a definition", () => {
  test("keeps the schema's own type, and is one of any", () => {
    expectTypeOf(ByZod).toEqualTypeOf<MessageDefinition<typeof zodOrder>>();
    expectTypeOf(ByZod.schema).toEqualTypeOf<typeof zodOrder>();
    expectTypeOf(ByZod.urn).toEqualTypeOf<string>();
    expectTypeOf(ByZod).toExtend<MessageDefinition>();
    // @ts-expect-error a schema of no Standard Schema
    defineMessage({ urn: "urn:a", schema: { parse: (text: string) => text } });
    // @ts-expect-error no schema
    defineMessage({ urn: "urn:a" });
    // @ts-expect-error it is frozen
    ByZod.urn = "urn:b";
  });

  test("has a payload: the input of the schema, and always an object", () => {
    expectTypeOf<PayloadOf<typeof ByZod>>().toEqualTypeOf<SentOrder>();
    expectTypeOf<PayloadOf<typeof ByValibot>>().toEqualTypeOf<SentOrder>();
    expectTypeOf<PayloadOf<typeof ByArktype>>().toEqualTypeOf<SentOrder>();
    expectTypeOf<PayloadOf<MessageDefinition>>().toEqualTypeOf<object>();
    const text = defineMessage({ urn: "urn:text", schema: z.string() });
    // @ts-expect-error a string is no payload
    createEnvelope(text, "text");
  });
});

test("createEnvelope takes the input, and of a URN any object", () => {
  expectTypeOf(createEnvelope(ByZod, sent)).toEqualTypeOf<Envelope<SentOrder>>();
  expectTypeOf(createEnvelope("urn:a", sent)).toEqualTypeOf<Envelope<SentOrder>>();
  expectTypeOf(createEnvelope<SentOrder>("urn:a", sent)).toEqualTypeOf<Envelope<SentOrder>>();
  expectTypeOf(createEnvelope(ByArktype, sent, { queue: "q" }).data).toEqualTypeOf<SentOrder>();
  expectTypeOf(prepareEnvelope(ByZod, sent)).toEqualTypeOf<
    Envelope<object> | Promise<Envelope<object>>
  >();
  // @ts-expect-error a member is missing
  createEnvelope(ByZod, {});
  // @ts-expect-error a member has the wrong type
  createEnvelope(ByValibot, { ...sent, order_id: "1042" });
  // @ts-expect-error the output is not the input
  createEnvelope(ByArktype, { ...sent, placed_at: new Date() });
  // @ts-expect-error no such member
  createEnvelope(ByZod, { order_id: 1, placed_at: "", lines: [], note: "" });
  // @ts-expect-error the type parameter is held to as well
  createEnvelope<SentOrder>("urn:a", {});
});

describe("router.on", () => {
  test("gives the handler of a definition the schema's output", () => {
    const router = new UrnRouter<Native>()
      .on(ByZod, (envelope, message, context) => {
        expectTypeOf(envelope).toEqualTypeOf<Envelope<Order>>();
        expectTypeOf(message).toEqualTypeOf<Native>();
        expectTypeOf(context).toEqualTypeOf<HandlerContext>();
      })
      .on(ByValibot, async ({ data }) => expectTypeOf(data).toEqualTypeOf<Order>())
      .on(ByArktype, ({ data: { placed_at: at } }) => expectTypeOf(at).toEqualTypeOf<Date>());
    expectTypeOf(router).toEqualTypeOf<UrnRouter<Native>>();
    expectTypeOf(createConsume<Native>).toBeCallableWith(router, { deadLetters: false });
    router.on(ByZod, handleOrder);
    // @ts-expect-error the handler is for the input, and gets the output
    router.on(ByZod, handleSentOrder);
  });

  test("gives the handler of a URN without a schema JSON, or what its type parameter says", () => {
    new UrnRouter()
      .on("urn:unknown", ({ data }) => expectTypeOf(data).toEqualTypeOf<JsonObject>())
      .on<SentOrder>("urn:a", ({ data }) => expectTypeOf(data).toEqualTypeOf<SentOrder>())
      // @ts-expect-error a type parameter beside a definition says the same twice
      .on<Order>(ByZod, () => undefined);
  });
});

describe("idempotent", () => {
  const store = memoryStore();

  test("is a handler of the same types, also where they are inferred", () => {
    expectTypeOf(idempotent(handleOrder, store)).toEqualTypeOf<Handler<Order, Native>>();
    expectTypeOf(idempotent(() => undefined, store)).toEqualTypeOf<Handler>();
    new UrnRouter<Native>()
      .on(
        ByZod,
        idempotent((envelope, message) => {
          expectTypeOf(envelope).toEqualTypeOf<Envelope<Order>>();
          expectTypeOf(message).toEqualTypeOf<Native>();
        }, store),
      )
      .on<SentOrder>(
        "urn:a",
        idempotent(({ data }) => expectTypeOf(data).toEqualTypeOf<SentOrder>(), store, {
          onError: (error, envelope, message) => {
            expectTypeOf(error).toBeUnknown();
            expectTypeOf(envelope).toEqualTypeOf<Envelope | null>();
            expectTypeOf(message).toEqualTypeOf<Native | null>();
          },
        }),
      );
  });

  test("a store is three functions, of any kind", () => {
    expectTypeOf(store).toEqualTypeOf<IdempotencyStore>();
    expectTypeOf<{
      seen(id: string): Promise<boolean>;
      remember(id: string): Promise<"OK" | null>;
      forget(id: string): number;
    }>().toExtend<IdempotencyStore>();
    // @ts-expect-error a Set is none
    idempotent(() => undefined, new Set<string>());
  });
});

test("errors have literal codes, and issues without values", () => {
  expectTypeOf<PayloadRefusedError["code"]>().toEqualTypeOf<"payload_refused">();
  expectTypeOf<NotRememberedError["code"]>().toEqualTypeOf<"not_remembered">();
  expectTypeOf<InvalidPayloadError["issues"]>().toEqualTypeOf<readonly PayloadIssue[]>();
  expectTypeOf<PayloadRefusedError["issues"]>().toEqualTypeOf<readonly PayloadIssue[]>();
  expectTypeOf<PayloadIssue>().toEqualTypeOf<{ readonly pointer: string }>();
});
