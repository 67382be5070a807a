import { SendMessageCommand } from "@aws-sdk/client-sqs";
import type { Envelope, Headers, Warning } from "@babelqueue/core";
import { FakeSqs } from "fake-sqs";
import { describe, expect, test } from "vitest";
import { deepFreeze, envelopeOf, metaText, SIX, text } from "../contract.fixture.js";
import { headersOf, type MessageAttributes, toMessageAttributes } from "../index.js";

const META = envelopeOf().meta;

/** The attributes, the names left out with a warning, and that SQS takes what is left. */
async function project(
  headers: Readonly<Headers>,
  envelope: Envelope = envelopeOf(),
): Promise<{ attributes: MessageAttributes; riders: string[]; leftOut: Warning["header"][] }> {
  const warnings: Warning[] = [];
  const attributes = toMessageAttributes(envelope, deepFreeze(headers), (warning) =>
    warnings.push(warning),
  );
  const fake = new FakeSqs();
  const QueueUrl = fake.createQueue("orders");
  await fake
    .client()
    .send(new SendMessageCommand({ QueueUrl, MessageBody: "{}", MessageAttributes: attributes }));
  return {
    attributes,
    riders: Object.keys(attributes).filter((name) => !Object.hasOwn(SIX, name)),
    leftOut: warnings.map(({ header }) => header),
  };
}

describe("the contract's attributes", () => {
  test("are exactly six without headers, in this order", () => {
    expect(toMessageAttributes(deepFreeze(envelopeOf()))).toStrictEqual(SIX);
    expect(Object.keys(toMessageAttributes(envelopeOf(), {}))).toEqual(Object.keys(SIX));
  });

  test.each<[string, string, unknown, string | undefined]>([
    ["lang", "bq-source-lang", "日本 😀 \t\n", "日本 😀 \t\n"],
    ["lang", "bq-source-lang", "", undefined],
    ["lang", "bq-source-lang", undefined, undefined],
    ["lang", "bq-source-lang", 7, "7"],
    ["lang", "bq-source-lang", { a: 1 }, undefined],
    ["lang", "bq-source-lang", null, undefined],
    ["lang", "bq-source-lang", "\u0000", undefined],
    ["lang", "bq-source-lang", "\u001B", undefined],
    ["lang", "bq-source-lang", "a\uFFFE", undefined],
    ["lang", "bq-source-lang", "\uFFFF", undefined],
    ["lang", "bq-source-lang", "\uD800", undefined],
    ["lang", "bq-source-lang", "\uDC00\uD800", undefined],
    ["id", "bq-message-id", undefined, undefined],
    ["id", "bq-message-id", "any text", "any text"],
    ["created_at", "bq-created-at", undefined, undefined],
    ["created_at", "bq-created-at", "yesterday", undefined],
    ["created_at", "bq-created-at", "", undefined],
    ["created_at", "bq-created-at", true, undefined],
    ["created_at", "bq-created-at", Number.NaN, undefined],
    ["created_at", "bq-created-at", Number.POSITIVE_INFINITY, undefined],
    ["created_at", "bq-created-at", -1, "-1"],
    ["created_at", "bq-created-at", 1.5, "1.5"],
    ["created_at", "bq-created-at", 9_223_372_036_854_775_807n, "9223372036854775807"],
    ["created_at", "bq-created-at", 10n ** 38n, undefined],
    ["created_at", "bq-created-at", 1e300, undefined],
    ["created_at", "bq-created-at", "١٢", undefined],
    ["created_at", "bq-created-at", `${"1".repeat(30)}.${"1".repeat(9)}`, undefined],
  ])("meta.%s as %s, given %o: %o", async (key, name, value, expected) => {
    const envelope = envelopeOf({ meta: { ...META, [key]: value } });
    const { attributes, leftOut } = await project({}, envelope);
    expect(attributes[name]?.StringValue).toBe(expected);
    expect(leftOut).toEqual(expected === undefined ? [name] : []);
    expect(Object.keys(attributes)).toHaveLength(expected === undefined ? 5 : 6);
  });

  test("win a key collision", async () => {
    const headers = Object.fromEntries(Object.keys(SIX).map((name) => [name, "mine"]));
    expect((await project(headers)).attributes).toStrictEqual(SIX);
  });

  test("win it also where SQS does not take them", async () => {
    const envelope = envelopeOf({ meta: { ...META, lang: "" } });
    const { attributes } = await project({ "bq-source-lang": "mine" }, envelope);
    expect(attributes).not.toHaveProperty("bq-source-lang");
  });

  test("that are left out make room for headers", async () => {
    const envelope = envelopeOf({ meta: { ...META, lang: "", id: "" } });
    const { riders } = await project(
      { a: "1", b: "1", c: "1", d: "1", e: "1", f: "1", g: "1" },
      envelope,
    );
    expect(riders).toEqual(["a", "b", "c", "d", "e", "f"]);
  });
});

describe("headers", () => {
  const trace = { traceparent: "00-a-b-01", tracestate: "v=1" };

  test.each<[string, Headers, string[], string[]]>([
    ["none", {}, [], []],
    [
      "traceparent, tracestate, then the others sorted",
      { zeta: "1", tracestate: "v=1", alpha: "2", traceparent: "00" },
      ["traceparent", "tracestate", "alpha", "zeta"],
      [],
    ],
    ["upper case sorts before lower", { b: "1", B: "1", a: "1" }, ["B", "a", "b"], []],
    [
      "the fifth is left out",
      { ...trace, c: "1", b: "1", a: "1" },
      ["traceparent", "tracestate", "a", "b"],
      ["c"],
    ],
    ["tracestate without traceparent", { tracestate: "v=1", a: "1" }, ["a"], []],
    ["tracestate with a blank traceparent", { tracestate: "v=1", traceparent: " " }, [], []],
    [
      "tracestate with a refused traceparent",
      { tracestate: "v=1", traceparent: "\0" },
      [],
      ["traceparent"],
    ],
    ["blank names and values", { "": "1", " ": "1", a: "", b: " \t\n", c: "1" }, ["c"], []],
    [
      "__proto__ and constructor",
      JSON.parse('{"__proto__":"1","constructor":"2"}') as Headers,
      ["__proto__", "constructor"],
      [],
    ],
    ["names that look like indices", { 10: "a", 9: "b" }, ["9", "10"], []],
  ])("%s", async (_, headers, riders, leftOut) => {
    const projected = await project(headers);
    expect(projected.riders.sort()).toEqual([...riders].sort());
    expect(projected.leftOut).toEqual(leftOut);
    for (const name of riders) {
      expect(Object.getOwnPropertyDescriptor(projected.attributes, name)?.enumerable).toBe(true);
      expect(Reflect.get(projected.attributes, name)).toEqual(text(headers[name] ?? ""));
    }
  });

  test("stand in the order in which they are added", () => {
    const attributes = toMessageAttributes(envelopeOf(), { b: "1", ...trace, a: "1" });
    expect(Object.keys(attributes).slice(6)).toEqual(["traceparent", "tracestate", "a", "b"]);
  });

  test("50 of them: four ride, the others are named in warnings", async () => {
    const names = Array.from({ length: 50 }, (_, n) => `h${String(n).padStart(2, "0")}`);
    const { riders, leftOut } = await project(Object.fromEntries(names.map((name) => [name, "1"])));
    expect(riders).toEqual(names.slice(0, 4));
    expect(leftOut).toEqual(names.slice(4));
  });

  test.each([
    ["a", true],
    ["A-b_c.9", true],
    ["-", true],
    ["a".repeat(256), true],
    ["awsome", true],
    ["my.aws.x", true],
    ["a".repeat(257), false],
    ["a b", false],
    [" a", false],
    ["a\n", false],
    ["ä", false],
    ["a/b", false],
    [".a", false],
    ["a.", false],
    [".", false],
    ["a..b", false],
    ["AWS.x", false],
    ["aws.x", false],
    ["Amazon.x", false],
    ["amazon.", false],
    ["\u212Aelvin", false],
  ])("the name %j: %s", async (name, isTaken) => {
    const { riders, leftOut } = await project({ [name]: "1" });
    expect([riders, leftOut]).toEqual(isTaken ? [[name], []] : [[], [name]]);
  });

  test.each<[string, unknown, boolean]>([
    ["a space within", "a b", true],
    ["tab, LF, CR", "a\t\n\r", true],
    ["emoji", "😀", true],
    ["U+FFFD", "\uFFFD", true],
    ["U+10FFFF", "\u{10FFFF}", true],
    ["NUL", "a\0", false],
    ["VT", "a\v", false],
    ["ESC", "a\u001B", false],
    ["U+FFFE", "a\uFFFE", false],
    ["U+FFFF", "a\uFFFF", false],
    ["a high surrogate alone", "a\uD800", false],
    ["a low surrogate alone", "a\uDC00", false],
    ["surrogates swapped", "a\uDE00\uD83D", false],
    ["a number", 7, false],
    ["an object", {}, false],
    ["null", null, false],
    ["undefined", undefined, false],
  ])("a value with %s: %s", async (_, value, isTaken) => {
    const { riders, leftOut } = await project({ h: value as string });
    expect([riders, leftOut]).toEqual(isTaken ? [["h"], []] : [[], ["h"]]);
  });

  test("a value is never shown in a warning, and a long name only in part", () => {
    const warnings: Warning[] = [];
    toMessageAttributes(envelopeOf(), { [`${"n".repeat(500)}!`]: "5ecret", x: "5ecret\0" }, (w) => {
      warnings.push(w);
    });
    expect(warnings).toMatchObject([{ code: "header_left_out" }, { code: "header_left_out" }]);
    expect(JSON.stringify(warnings)).not.toContain("5ecret");
    expect(Math.max(...warnings.map(({ message }) => message.length))).toBeLessThan(250);
  });

  test("are left out in silence where no hook is given", () => {
    expect(toMessageAttributes(envelopeOf(), { "a b": "1" })).toStrictEqual(SIX);
  });

  test("keep their value when an instrumentation of the AWS SDK sets its own", () => {
    const attributes = toMessageAttributes(envelopeOf(), trace);
    attributes["traceparent"] = text("00-other");
    attributes["new"] = text("1");
    expect(attributes).toMatchObject({ traceparent: text("00-a-b-01"), new: text("1") });
  });
});

describe("headersOf", () => {
  test("gives the text attributes beside the contract's", () => {
    const MessageAttributes = deepFreeze({
      ...SIX,
      traceparent: text("00"),
      blank: text(""),
      count: { DataType: "Number.int", StringValue: "1" },
      binary: { DataType: "Binary", BinaryValue: new Uint8Array() },
      "bq-original-queue": text("orders"),
    });
    expect(headersOf({ MessageAttributes })).toStrictEqual({
      traceparent: "00",
      blank: "",
      count: "1",
      "bq-original-queue": "orders",
    });
  });

  test("gives none where there are none", () => {
    expect(headersOf({})).toEqual({});
    expect(headersOf({ MessageAttributes: {} })).toEqual({});
  });

  test("takes __proto__ as a name like any other", () => {
    const MessageAttributes = JSON.parse('{"__proto__":{"StringValue":"1"}}') as MessageAttributes;
    expect(Object.entries(headersOf({ MessageAttributes }))).toEqual([["__proto__", "1"]]);
  });

  test("reads back what toMessageAttributes wrote", () => {
    const headers = { traceparent: "00", tracestate: "v=1", a: "1" };
    const MessageAttributes = toMessageAttributes(envelopeOf(), headers);
    expect(headersOf({ MessageAttributes })).toEqual(headers);
  });
});

test("the fixture's attributes are those of its text", () => {
  const meta = JSON.parse(metaText()) as Envelope["meta"];
  expect(toMessageAttributes(envelopeOf({ meta }))).toStrictEqual(SIX);
});
