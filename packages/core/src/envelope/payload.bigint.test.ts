import { afterEach, describe, expect, test, vi } from "vitest";
import { createEnvelope, decodeEnvelope, encodeEnvelope } from "../index.js";
import { bodyText, envelopeOf, URN } from "./envelope.fixture.js";

/** What a publisher does with the caller's data. */
function publish(data: object): string {
  return encodeEnvelope(envelopeOf({ data: createEnvelope(URN, data).data }));
}

/** What many programs give every bigint, so that JSON.stringify takes it. */
function bigintToJson(this: bigint): string {
  return this.toString();
}

describe("a bigint is written as an integer", () => {
  afterEach(() => {
    Reflect.deleteProperty(BigInt.prototype, "toJSON");
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
  const BIGINTS: [string, object, string][] = [
    ["small", { a: 1n, b: [-0n] }, '{"a":1,"b":[0]}'],
    ["64 bits", { a: -9223372036854775808n }, '{"a":-9223372036854775808}'],
    ["200 digits", { a: 10n ** 199n }, `{"a":1${"0".repeat(199)}}`],
    ["beside strings of digits", { a: 1n, b: "1", c: "1n" }, '{"a":1,"b":"1","c":"1n"}'],
    ["beside U+FFFF", { "\uFFFF1": 1n, b: "\uFFFF1" }, '{"\\uffff1":1,"b":"\\uffff1"}'],
    ["beside many U+FFFF", { a: 2n, b: "\uFFFF\uFFFF2" }, '{"a":2,"b":"\\uffff\\uffff2"}'],
    [
      "beside U+FFFE and lone surrogates",
      { a: 3n, "\uFFFE": "\uD800" },
      '{"a":3,"\\ufffe":"\\ud800"}',
    ],
    ["as a member that a toJSON gives", { toJSON: () => ({ a: 4n }) }, '{"a":4}'],
    ["beside a Date", { a: 5n, at: new Date(0) }, '{"a":5,"at":"1970-01-01T00:00:00.000Z"}'],
  ];

  test.each(BIGINTS)("%s", (_, data, expected) => {
    expect(publish(data)).toBe(bodyText({ data: expected }));
  });

  test.each(BIGINTS)("%s, where there is no crypto", (_, data, expected) => {
    vi.stubGlobal("crypto", undefined);
    const text = encodeEnvelope(envelopeOf({ data }));
    expect(text).toBe(bodyText({ data: expected }));
    expect(encodeEnvelope(decodeEnvelope(text))).toBe(text);
  });

  test("beside what a pinned source of randomness gives", () => {
    const id = "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b";
    vi.spyOn(crypto, "randomUUID").mockReturnValue(id);
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const envelope = createEnvelope(URN, { a: 2n ** 64n, [id]: [id, "0.5", "\x7F", "\uFFFF0.5"] });
    expect(decodeEnvelope(encodeEnvelope(envelope))).toEqual(envelope);
  });

  test.each(BIGINTS)("%s, with BigInt.prototype.toJSON patched", (_, data, expected) => {
    Reflect.set(BigInt.prototype, "toJSON", bigintToJson);
    expect(JSON.stringify({ a: 1n })).toBe('{"a":"1"}');
    expect(publish(data)).toBe(bodyText({ data: expected }));
  });
});

describe("a number that is an integer beyond 2^53", () => {
  test.each<[number, string]>([
    [2 ** 53, "9007199254740992"],
    [2 ** 60, "1152921504606846976"],
    [-(2 ** 63), "-9223372036854775808"],
    [123456789012345683968, "123456789012345683968"],
    [1e21, "1e+21"],
    [1.5e300, "1.5e+300"],
    [9007199254740991, "9007199254740991"],
    [0.1, "0.1"],
  ])("%d is written with its exact digits: %s", (value, digits) => {
    expect(publish({ a: [value, 1n], b: { c: value } })).toBe(
      bodyText({ data: `{"a":[${digits},1],"b":{"c":${digits}}}` }),
    );
    expect(publish({ a: value })).toBe(bodyText({ data: `{"a":${digits}}` }));
  });

  test("is what a toJSON gives, too", () => {
    expect(publish({ at: { toJSON: () => 2 ** 60 } })).toBe(
      bodyText({ data: '{"at":1152921504606846976}' }),
    );
  });
});
