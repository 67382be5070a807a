import { expectTypeOf, test } from "vitest";
import {
  createConsume,
  type Envelope,
  type Handler,
  type HandlerContext,
  type JsonObject,
  type Routes,
  UrnRouter,
} from "../index.js";

interface Order {
  id: number;
}
interface Native {
  receipt: string;
}

test("on() types the handler's data, and by default it is JSON", () => {
  const router = new UrnRouter<Native>()
    .on<Order>("urn:a", (envelope, message, context) => {
      expectTypeOf(envelope).toEqualTypeOf<Envelope<Order>>();
      expectTypeOf(message).toEqualTypeOf<Native>();
      expectTypeOf(context).toEqualTypeOf<HandlerContext>();
    })
    .on("urn:b", ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<JsonObject>();
    });
  expectTypeOf(router).toEqualTypeOf<UrnRouter<Native>>();
});

test("from() takes handlers that name the shape of their data, and gives the others JSON", () => {
  const router = UrnRouter.from({
    "urn:a": ({ data }: Envelope<{ id: number }>) => data.id,
    "urn:b": ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<JsonObject>();
    },
  });
  expectTypeOf(router).toEqualTypeOf<UrnRouter>();
  expectTypeOf<Handler>().parameter(0).toEqualTypeOf<Envelope>();
});

test("a router that uses no native message serves any transport; another only its own", () => {
  expectTypeOf<UrnRouter>().toExtend<Routes<Native>>();
  expectTypeOf<UrnRouter<Native>>().toExtend<Routes<Native & { more: string }>>();
  expectTypeOf<UrnRouter<Native>>().not.toExtend<Routes<{ other: string }>>();
  expectTypeOf(createConsume<Native>).toBeCallableWith(new UrnRouter(), { deadLetters: false });
});
