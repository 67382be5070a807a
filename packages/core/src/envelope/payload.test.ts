import { describe, expect, test } from "vitest";
import { createEnvelope, decodeEnvelope, encodeEnvelope, InvalidPayloadError } from "../index.js";
import { bodyText, envelopeOf, failureOf, SECRET, shownBy, URN } from "./envelope.fixture.js";
import {
  constants,
  Described,
  generate,
  Money,
  Registry,
  Tagged,
  TaggedBytes,
} from "./payload.fixture.js";

/** What a publisher does with the caller's data. */
function publish(data: unknown): string {
  return encodeEnvelope(envelopeOf({ data: createEnvelope(URN, data as object).data }));
}

interface Order {
  id: number;
  note?: string | undefined;
}
const failingGetter = {
  get a(): never {
    throw new RangeError("no");
  },
};
const ORDER: Order = { id: 1, note: undefined };

// docs/wire-contract.md §1, "at publish, data is what JSON can carry"
describe("written as JSON.stringify writes it", () => {
  test.each<[string, unknown, string]>([
    ["an empty object", {}, "{}"],
    ["nested objects and arrays", { a: [{ b: [] }, null, true] }, '{"a":[{"b":[]},null,true]}'],
    ["an interface-typed object", ORDER, '{"id":1}'],
    ["a class instance: its fields", new Money(5), '{"amount":5,"currency":"EUR"}'],
    ["an instance of a class with a tag", { a: new Tagged("Order") }, '{"a":{"secret":"Order"}}'],
    [
      "one whose tag sounds like an iterator's",
      { a: new Tagged("RowIterator") },
      '{"a":{"secret":"RowIterator"}}',
    ],
    ["a module", { a: constants }, '{"a":{"LIMIT":7}}'],
    ["an Error with a toJSON", { a: new Described("x") }, '{"a":{"said":"x"}}'],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ["inherited members: left out", Object.create({ a: NaN, b: 1, c: 2n }), "{}"],
    ["inherited getters: not called", Object.create(failingGetter), "{}"],
    ["undefined members: left out", { a: undefined, b: { c: undefined } }, '{"b":{}}'],
    ["a Date", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ["a URL", { to: new URL("https://example.com/a") }, '{"to":"https://example.com/a"}'],
    ["a toJSON that gives an object", { a: { toJSON: () => ({ b: 1 }) } }, '{"a":{"b":1}}'],
    ["a toJSON that gives a bigint", { a: { toJSON: () => 10n } }, '{"a":10}'],
    ["a toJSON that gives bigints within", { a: { toJSON: () => [1n] } }, '{"a":[1]}'],
    ["a toJSON that gives undefined", { a: { toJSON: () => undefined } }, "{}"],
    ["data with a toJSON that gives an object", { toJSON: () => ({ a: 1 }) }, '{"a":1}'],
    ["a toJSON that is told its key", { a: [{ toJSON: (key: string) => key }] }, '{"a":["0"]}'],
    ["a key named __proto__", JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ["an object twice, without a cycle", { a: ORDER, b: [ORDER] }, '{"a":{"id":1},"b":[{"id":1}]}'],
    ["numbers", { a: [0, -1.5, 1e21, 5e-324] }, '{"a":[0,-1.5,1e+21,5e-324]}'],
    [
      "slashes and non-ASCII, unescaped",
      { "a/b": "Café ☕ 😀 \u2028" },
      '{"a/b":"Café ☕ 😀 \u2028"}',
    ],
    ["lone surrogates, escaped", { "\uDFFF": "\uD800x" }, '{"\\udfff":"\\ud800x"}'],
    ["U+FFFE and U+FFFF, escaped", { "\uFFFE": "a\uFFFFb" }, '{"\\ufffe":"a\\uffffb"}'],
  ])("%s", (_, data, expected) => {
    expect(publish(data)).toBe(bodyText({ data: expected }));
  });

  test("nested 990 levels deep", () => {
    let data: object = {};
    for (let level = 1; level < 990; level += 1) data = { d: data };
    expect(decodeEnvelope(publish(data)).data).toEqual(data);
  });
});

const cycle: Record<string, unknown> = { a: {} };
cycle["a"] = { b: [cycle] };
const endless = { toJSON: () => ({ next: endless }) };
let deep: object = {};
for (let level = 0; level < 10_000; level += 1) deep = { d: deep };
const failing = {
  toJSON() {
    throw new RangeError("no");
  },
};

const unreadable = Object.defineProperty({}, "toJSON", {
  get(): never {
    throw new RangeError("no");
  },
});
const revoked = Proxy.revocable({}, {});
revoked.revoke();

describe("refused with the JSON pointer of what is wrong", () => {
  test.each<[string, unknown, string]>([
    ["data: null", null, "/data"],
    ["data: undefined", undefined, "/data"],
    ["data: an array", [], "/data"],
    ["data: a string", "x", "/data"],
    ["data: a number", 1, "/data"],
    ["data: a function", () => 1, "/data"],
    ["data: a Map", new Map(), "/data"],
    ["data: a Buffer", Buffer.from("x"), "/data"],
    ["data: a Date", new Date(0), "/data"],
    ["data: an Error", new Error("x"), "/data"],
    ["data: a toJSON that gives an array", { toJSON: () => [] }, "/data"],
    ["data: a toJSON that throws", failing, "/data"],
    ["data: a boxed string", Object("x"), "/data"],
    ["NaN", { a: NaN }, "/data/a"],
    ["Infinity", { a: [0, -Infinity] }, "/data/a/1"],
    ["undefined in an array", { a: [undefined] }, "/data/a/0"],
    ["a sparse array", { a: [1, , 2] }, "/data/a/1"], // oxlint-disable-line no-sparse-arrays
    ["a function", { a: { b: () => 1 } }, "/data/a/b"],
    ["a symbol", { a: Symbol("x") }, "/data/a"],
    ["a Map", { a: new Map([[1, 2]]) }, "/data/a"],
    ["a subclass of Map", { a: new (class Cache extends Map {})() }, "/data/a"],
    ["a Set", { a: new Set() }, "/data/a"],
    ["a WeakMap", { a: new WeakMap() }, "/data/a"],
    ["URLSearchParams", { a: new URLSearchParams("b=1") }, "/data/a"],
    ["a FormData", { a: new FormData() }, "/data/a"],
    ["Headers", { a: new Headers({ b: "1" }) }, "/data/a"],
    ["a Blob", { a: new Blob(["b"]) }, "/data/a"],
    ["a File", { a: new File(["b"], "c") }, "/data/a"],
    ["a Response", { a: new Response("b") }, "/data/a"],
    ["an AbortSignal", { a: new AbortController().signal }, "/data/a"],
    ["a format", { a: new Intl.NumberFormat("en") }, "/data/a"],
    ["a WeakRef", { a: new WeakRef({}) }, "/data/a"],
    ["a generator", { a: generate() }, "/data/a"],
    ["a SharedArrayBuffer", { a: new SharedArrayBuffer(1) }, "/data/a"],
    ["a boxed bigint", { a: Object(1n) }, "/data/a"],
    ["a boxed NaN with a key of its own", { a: Object.assign(Object(NaN), { b: 1 }) }, "/data/a"],
    ["a boxed bigint with one", { a: Object.assign(Object(1n), { b: 1 }) }, "/data/a"],
    ["a Promise with one", { a: Object.assign(Promise.resolve(1), { b: 1 }) }, "/data/a"],
    ["data: a boxed boolean with one", Object.assign(Object(true), { b: 1 }), "/data"],
    ["an invalid Date", { a: [new Date(NaN)] }, "/data/a/0"],
    ["a Map with a key of its own", { a: Object.assign(new Map(), { b: 1 }) }, "/data/a"],
    ["an Error with keys of its own", { a: Object.assign(new Error("x"), { b: 1 }) }, "/data/a"],
    ["a Map with a tag of its own", { a: new Registry() }, "/data/a"],
    ["a typed array", { a: new Uint8Array(2) }, "/data/a"],
    ["a Buffer", { a: Buffer.from("x") }, "/data/a"],
    ["a DataView", { a: new DataView(new ArrayBuffer(1)) }, "/data/a"],
    ["an ArrayBuffer", { a: new ArrayBuffer(1) }, "/data/a"],
    ["a Promise", { a: Promise.resolve(1) }, "/data/a"],
    ["a RegExp", { a: /x/ }, "/data/a"],
    ["an Error", { a: new TypeError("x") }, "/data/a"],
    ["an iterator", { a: [1].values() }, "/data/a"],
    ["a cycle", cycle, "/data/a/b/0"],
    ["a toJSON without end", { a: endless }, "/data/a"],
    ["a toJSON that throws", { a: failing }, "/data/a"],
    ["a toJSON that gives NaN", { a: { toJSON: () => NaN } }, "/data/a"],
    ["a toJSON that gives a Map", { a: { toJSON: () => new Map() } }, "/data/a"],
    // whose own toJSON JSON.stringify does not call
    ["a toJSON that gives a Date", { a: { toJSON: () => new Date(0) } }, "/data/a"],
    [
      "a toJSON that gives an Error with one",
      { a: { toJSON: () => new Described("x") } },
      "/data/a",
    ],
    ["a toJSON that gives a Buffer", { a: { toJSON: () => Buffer.from("x") } }, "/data/a"],
    ["data: a toJSON that gives an Error", { toJSON: () => new Described("x") }, "/data"],
    ["data: a toJSON that gives a Date", { toJSON: () => new Date(0) }, "/data"],
    ["data: a getter for toJSON that throws", unreadable, "/data"],
    ["data: a revoked Proxy", revoked.proxy, "/data"],
    [
      "a toJSON that gives NaN for its key",
      { a: [{ toJSON: (key: string) => (key === "0" ? NaN : 1) }] },
      "/data/a/0",
    ],
    ["a boxed NaN", { a: Object(NaN) }, "/data/a"],
    ["a boxed symbol", { a: Object(Symbol("x")) }, "/data/a"],
    ["10 000 levels", deep, "/data/d"],
    ["a key with / and ~", { "a/b": { "~": NaN } }, "/data/a~1b/~0"],
    ["an empty key", { "": NaN }, "/data/"],
    ["a key named __proto__", JSON.parse('{"__proto__":{"a":1e400}}'), "/data/__proto__/a"],
  ])("%s", (_, data, pointer) => {
    const error = failureOf(() => publish(data));
    expect(error).toBeInstanceOf(InvalidPayloadError);
    expect(error.code).toBe("invalid_payload");
    // what nests too deep is found somewhere below
    expect(pointerOf(error).slice(0, pointer.length)).toBe(pointer);
    expect(pointerOf(error).length === pointer.length || error.message.includes("deeper")).toBe(
      true,
    );
    expect(error.message).toContain(pointer);
    expect(error.message.length).toBeLessThan(300);
  });

  test("with what a toJSON threw as cause", () => {
    expect(failureOf(() => publish({ a: failing })).cause).toEqual(new RangeError("no"));
  });

  test("with what a getter threw as cause", () => {
    const error = failureOf(() => publish({ ...ORDER, nested: failingGetter }));
    expect(error).toMatchObject({ code: "invalid_payload", cause: new RangeError("no") });
  });

  test.each<[string, unknown]>([
    ["as data, by its toJSON", { toJSON: () => [new Tagged(SECRET)] }],
    ["in a toJSON", { a: Object.assign(new Tagged(SECRET), { toJSON: () => NaN }) }],
    ["beside what is wrong", { a: new Tagged(SECRET), b: NaN }],
    ["of bytes", { a: new TaggedBytes(1) }],
  ])("without what a class says of itself: %s", (_, data) => {
    expect(shownBy(failureOf(() => publish(data)))).not.toContain(SECRET);
  });

  test.each<[string, unknown, string]>([
    ["a Map", { a: new Map() }, "The value at /data/a is a Map, which JSON cannot carry."],
    [
      "a subclass",
      { a: new Registry() },
      "The value at /data/a is a Registry, which JSON cannot carry.",
    ],
    ["a hole", { a: [undefined] }, "The value at /data/a/0 is undefined, which JSON cannot carry."],
    ["NaN", { a: NaN }, "The value at /data/a is NaN, which JSON cannot carry."],
    [
      "an invalid Date",
      { a: new Date(NaN) },
      "The value at /data/a is an invalid Date, which JSON cannot carry.",
    ],
    ["NaN as data", NaN, "The value at /data must be a JSON object, and is a number."],
    ["data", [], "The value at /data must be a JSON object, and is an array."],
    [
      "data by its toJSON",
      { toJSON: () => new Map() },
      "The value at /data must be a JSON object, and is a Map, by its toJSON.",
    ],
  ])("in words: %s", (_, data, message) => {
    expect(failureOf(() => publish(data)).message).toBe(message);
  });

  test("in the unknown keys of an envelope too", () => {
    const error = failureOf(() => encodeEnvelope(envelopeOf({ extra: [NaN] })));
    expect(pointerOf(error)).toBe("/extra/0");
  });
});

function pointerOf(error: unknown): string {
  return error instanceof InvalidPayloadError ? error.pointer : "";
}
