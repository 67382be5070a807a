import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  bodyText,
  deliveryOf,
  errorOf,
  failureOf,
  metaText,
  observe,
  probe,
  SECRET,
  SECRET_NUMBER,
  shownBy,
  URN,
} from "./envelope/envelope.fixture.js";
import * as core from "./index.js";

type Core = typeof core;
const MAKE: Record<string, (from: Core) => core.BabelQueueError> = {
  InvalidArgumentError: (from) => new from.InvalidArgumentError("option", "is odd"),
  InvalidEnvelopeError: (from) => new from.InvalidEnvelopeError("not_json", "it is odd"),
  InvalidPayloadError: (from) => new from.InvalidPayloadError("/data", "is odd"),
  NotRememberedError: (from) => new from.NotRememberedError("id", {}),
  PayloadRefusedError: (from) => new from.PayloadRefusedError(URN, "id", [{ pointer: "/data" }]),
  UnknownUrnError: (from) => new from.UnknownUrnError(URN),
  UnsupportedSchemaVersionError: (from) => new from.UnsupportedSchemaVersionError("2"),
};
const NAMES = Object.keys(MAKE) as (keyof Core)[];

test.each([
  ["InvalidArgumentError", { code: "invalid_argument", argument: "option" }],
  ["InvalidEnvelopeError", { code: "invalid_envelope", reason: "not_json" }],
  [
    "InvalidPayloadError",
    { code: "invalid_payload", pointer: "/data", issues: [{ pointer: "/data" }] },
  ],
  ["NotRememberedError", { code: "not_remembered", id: "id" }],
  [
    "PayloadRefusedError",
    { code: "payload_refused", urn: URN, id: "id", issues: [{ pointer: "/data" }] },
  ],
  ["UnknownUrnError", { code: "unknown_urn", urn: URN }],
  ["UnsupportedSchemaVersionError", { code: "unsupported_schema_version", declared: "2" }],
])("%s is an Error of the family, named and coded", (name, properties) => {
  const error = MAKE[name]?.(core);
  expect(error).toBeInstanceOf(Error);
  expect(error).toBeInstanceOf(core.BabelQueueError);
  expect(error).toMatchObject({ name, ...properties });
  expect(String(error)).toMatch(new RegExp(`^${name}: .+\\.$`));
});

describe("across two copies of the package", () => {
  let copy: Core;
  beforeAll(async () => {
    vi.resetModules();
    copy = await import("./index.js");
  });

  test.each(NAMES)("%s is recognised both ways, and taken for no other", (name) => {
    expect(copy.BabelQueueError).not.toBe(core.BabelQueueError);
    for (const [here, there] of [
      [core, copy],
      [copy, core],
    ] as const) {
      const error = MAKE[name]?.(there);
      expect(error instanceof here.BabelQueueError).toBe(true);
      const taken = NAMES.filter(
        (each) => error instanceof (here[each] as unknown as typeof Error),
      );
      expect(taken).toEqual([name]);
    }
  });

  test("a subclass that names itself is recognised by its family, and recognises only its own", () => {
    class Mine extends copy.InvalidEnvelopeError {}
    const mine = new Mine("not_json", "it is odd");
    expect(mine).toBeInstanceOf(core.InvalidEnvelopeError);
    expect(MAKE["InvalidEnvelopeError"]?.(core)).not.toBeInstanceOf(Mine);
    expect(mine).toBeInstanceOf(Mine);
  });

  test("one is not taken for another by a name that it was given, or that throws", () => {
    class Named extends core.UnknownUrnError {
      override readonly name = "InvalidArgumentError";
    }
    const given = Object.assign(new core.UnknownUrnError(URN), { name: "InvalidArgumentError" });
    const throwing = Object.defineProperty(new core.UnknownUrnError(URN), "name", {
      get(): never {
        throw new RangeError("no");
      },
    });
    for (const error of [new Named(URN), given, throwing]) {
      expect(error).toBeInstanceOf(copy.UnknownUrnError);
      expect(error instanceof core.InvalidArgumentError).toBe(false);
      expect(error instanceof copy.InvalidArgumentError).toBe(false);
    }
  });

  test.each([
    ["null", null],
    ["a string", "InvalidEnvelopeError"],
    ["another Error", new Error("x")],
    ["one with the same name", Object.assign(new Error("x"), { name: "InvalidEnvelopeError" })],
  ])("%s is none of ours", (_, value) => {
    expect(value instanceof core.BabelQueueError).toBe(false);
    expect(value instanceof core.InvalidEnvelopeError).toBe(false);
  });
});

const POISON: [string, string][] = [
  ["no JSON", SECRET],
  ["truncated JSON", bodyText({ data: `{"a":"${SECRET}"` })],
  ["a string", `"${SECRET}"`],
  ["a number", SECRET_NUMBER],
  ["an array", `["${SECRET}"]`],
  ["no job", bodyText({ job: undefined, data: `{"a":"${SECRET}"}` })],
  ["a job that is a number", bodyText({ job: SECRET_NUMBER })],
  ["a urn that is a number", bodyText({ job: undefined, urn: SECRET_NUMBER })],
  ["a job that is an object", bodyText({ job: `{"a":"${SECRET}"}` })],
  ["a trace_id that is an object", bodyText({ trace_id: `["${SECRET}"]` })],
  ["a trace_id that is a number", bodyText({ trace_id: SECRET_NUMBER })],
  ["data that is a string", bodyText({ data: `"${SECRET}"` })],
  ["data that is a number", bodyText({ data: SECRET_NUMBER })],
  ["data that is a bigint", bodyText({ data: SECRET_NUMBER.repeat(2) })],
  ["data that is an array", bodyText({ data: `["${SECRET}"]` })],
  ["meta that is a string", bodyText({ meta: `"${SECRET}"` })],
  ["meta that is a number", bodyText({ meta: SECRET_NUMBER })],
  [
    "a schema_version that is a string",
    bodyText({ meta: metaText({ schema_version: `"${SECRET}"` }) }),
  ],
  ["attempts that is a string", bodyText({ attempts: `"${SECRET}"` })],
];

describe("no error and no warning shows a payload", () => {
  test.each(POISON)("decode: %s", (_, body) => {
    const shown = shownBy(failureOf(() => core.decodeEnvelope(body)));
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain(SECRET_NUMBER);
  });

  test.each(POISON)("consume: %s", async (_, body) => {
    const { consume } = probe({ onError: undefined });
    const { result, warnings } = await observe(() => consume(deliveryOf({ body })));
    const shown = [errorOf(result), ...warnings].map(shownBy).join();
    expect(warnings).toHaveLength(1);
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain(SECRET_NUMBER);
  });

  test.each<[string, unknown]>([
    ["data that is a string", SECRET],
    ["data that is a number", Number(SECRET_NUMBER)],
    ["data that is a bigint", BigInt(SECRET_NUMBER)],
    ["data that is an array", [SECRET]],
    ["data whose toJSON returns a string", { toJSON: () => SECRET }],
    ["NaN beside it", { a: SECRET, b: NaN }],
    ["a Map of it", { a: new Map([[SECRET, SECRET]]) }],
    ["a symbol of it", { a: Symbol(SECRET) }],
    ["a function of it", { a: () => SECRET }],
    ["a Buffer of it", { a: Buffer.from(SECRET) }],
  ])("publish: %s", (_, data) => {
    const publish = (): string => core.encodeEnvelope(core.createEnvelope(URN, data as object));
    const shown = shownBy(failureOf(publish));
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain(SECRET_NUMBER);
  });
});
