import { describe, expect, test, vi } from "vitest";
import { deliveryOf, failureOf, URN } from "../envelope/envelope.fixture.js";
import { createConsume, InvalidArgumentError, UrnRouter } from "../index.js";

const handler = (): void => undefined;
const other = (): void => undefined;
const INHERITED = ["toString", "__proto__", "constructor", "hasOwnProperty"];

describe("UrnRouter", () => {
  test("finds the handler of a URN, and none for others", () => {
    const router = new UrnRouter().on(URN, handler).on(" urn:other\n", other);
    expect(router.handlerFor(URN)).toBe(handler);
    expect(router.handlerFor("urn:other")).toBe(other);
    expect(router.handlerFor("urn:babel:orders")).toBeUndefined();
    expect(router.handlerFor("")).toBeUndefined();
  });

  test.each(INHERITED)("finds nothing for %s unless it is registered", (urn) => {
    expect(new UrnRouter().handlerFor(urn)).toBeUndefined();
    expect(UrnRouter.from({}).handlerFor(urn)).toBeUndefined();
    expect(new UrnRouter().on(urn, handler).handlerFor(urn)).toBe(handler);
    expect(UrnRouter.from({ [urn]: handler }).handlerFor(urn)).toBe(handler);
  });

  test("takes the record's own members only", () => {
    const record = Object.assign(Object.create({ inherited: handler }), { [URN]: handler });
    const router = UrnRouter.from(record as Record<string, () => void>);
    expect(router.handlerFor(URN)).toBe(handler);
    expect(router.handlerFor("inherited")).toBeUndefined();
  });

  test.each<[string, () => unknown, string, string]>([
    ["a second handler", () => new UrnRouter().on(URN, handler).on(` ${URN}`, handler), "urn", URN],
    [
      "a second handler in a record",
      () => UrnRouter.from({ a: handler, "a ": handler }),
      "urn",
      "a",
    ],
    ["a blank URN", () => new UrnRouter().on(" ", handler), "urn", "a blank string"],
    ["no URN", () => new UrnRouter().on(undefined as never, handler), "urn", "missing"],
    ["no handler", () => new UrnRouter().on(URN, undefined as never), "handler", URN],
    [
      "a handler that is none",
      () => UrnRouter.from({ [URN]: {} as never }),
      "handler",
      "an object",
    ],
  ])("refuses %s, and says so", (_, act, argument, said) => {
    const error = failureOf(act);
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ code: "invalid_argument", argument });
    expect(error.message).toContain(said);
  });

  test("is recognised across copies of the package, and what is none is not", async () => {
    vi.resetModules();
    const copy = await import("../index.js");
    expect(copy.UrnRouter).not.toBe(UrnRouter);
    expect(new copy.UrnRouter()).toBeInstanceOf(UrnRouter);
    expect(new UrnRouter()).toBeInstanceOf(copy.UrnRouter);
    for (const value of [null, undefined, 1, {}, { handlerFor: handler }, handler]) {
      expect(value instanceof UrnRouter).toBe(false);
    }
  });

  test("a subclass recognises only its own", () => {
    class Mine extends UrnRouter {}
    expect(new Mine()).toBeInstanceOf(UrnRouter);
    expect(new Mine()).toBeInstanceOf(Mine);
    expect(new UrnRouter()).not.toBeInstanceOf(Mine);
  });

  test("a router of another copy serves a consumer, and so does anything with handlerFor", async () => {
    vi.resetModules();
    const copy = await import("../index.js");
    const seen: string[] = [];
    const handle = ({ job }: { job: string }): unknown => seen.push(job);
    for (const routes of [new copy.UrnRouter().on(URN, handle), { handlerFor: () => handle }]) {
      const consume = createConsume(routes, { deadLetters: false });
      await expect(consume(deliveryOf())).resolves.toMatchObject({ kind: "ack" });
    }
    expect(seen).toEqual([URN, URN]);
  });
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["null", null],
  ["a Map", new Map([[URN, () => undefined]])],
  ["an array", [() => undefined]],
  ["a function", () => undefined],
  ["the class of routers", UrnRouter],
])("%s is no record of handlers", (_, handlers) => {
  expect(() => UrnRouter.from(handlers as never)).toThrow(InvalidArgumentError);
});
