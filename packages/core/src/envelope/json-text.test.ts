import { describe, expect, test } from "vitest";
import { amendEnvelope, decodeEnvelope } from "../index.js";
import { bodyText } from "./envelope.fixture.js";

const DIGITS_200 = "1234567890".repeat(20);

// docs/wire-contract.md §1, "no integer is silently rounded": literal, what a handler sees, and as a number
const NUMBERS: [string, unknown, unknown][] = [
  ["0", 0, 0],
  ["-0", -0, -0],
  ["9007199254740991", 9007199254740991, 9007199254740991],
  ["-9007199254740991", -9007199254740991, -9007199254740991],
  ["9007199254740992", 9007199254740992n, 2 ** 53],
  ["9007199254740993", 9007199254740993n, 2 ** 53],
  ["-9007199254740993", -9007199254740993n, -(2 ** 53)],
  ["9223372036854775807", 9223372036854775807n, 2 ** 63],
  ["-9223372036854775808", -9223372036854775808n, -(2 ** 63)],
  ["18446744073709551615", 18446744073709551615n, 2 ** 64],
  [DIGITS_200, BigInt(DIGITS_200), Number(DIGITS_200)],
  ["1e21", 1e21, 1e21],
  ["9007199254740993e0", 2 ** 53, 2 ** 53],
  ["9007199254740993.0", 2 ** 53, 2 ** 53],
  ["1E400", Infinity, Infinity],
  ["99.90", 99.9, 99.9],
  ["0.10000000000000001", 0.1, 0.1],
  ["12345678901234567.5", 12345678901234568, 12345678901234568],
  ['"9007199254740993"', "9007199254740993", "9007199254740993"],
  ['": 9007199254740993,"', ": 9007199254740993,", ": 9007199254740993,"],
];

describe.each(NUMBERS)("the literal %s", (literal, seen, asNumber) => {
  const PLACES: [string, string, (data: never) => unknown][] = [
    ["a member", `{"a":${literal}}`, ({ a }: { a: unknown }) => a],
    ["a member, spaced", `{ "a" :\n${literal}\t}`, ({ a }: { a: unknown }) => a],
    ["an element", `{"a":[1,${literal}]}`, ({ a }: { a: unknown[] }) => a[1]],
    ["the only element", `{"a":[[ ${literal} ]]}`, ({ a }: { a: unknown[][] }) => a[0]?.[0]],
    ["beside a large one", `{"b":9007199254740993,"a":${literal}}`, ({ a }: { a: unknown }) => a],
  ];

  test.each(PLACES)("reaches a handler exactly: %s", (_, data, read) => {
    expect(read(decodeEnvelope(bodyText({ data })).data as never)).toBe(seen);
  });

  test.each(PLACES)("becomes a number by option: %s", (_, data, read) => {
    const decoded = decodeEnvelope(bodyText({ data }), { largeIntegers: "number" });
    expect(read(decoded.data as never)).toBe(asNumber);
  });

  test.each(PLACES)("keeps its bytes in an amended copy: %s", (_, data) => {
    expect(amendEnvelope(bodyText({ data }), { attempts: 7 })).toBe(
      bodyText({ data, attempts: "7" }),
    );
  });
});

describe("beside a large integer, everything else is read as JSON.parse reads it", () => {
  test.each([
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "[[],{},[{}],null]",
    '{"":0,"a":{"":{"":[]}}}',
    '{"a":1,"b":2,"a":3}',
    '{"2":"b","1":"a"}',
    '{"__proto__":1,"__proto__":{"a":2},"constructor":3,"toString":4}',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\ud83d\\ude00"',
    '"\\\\"',
    '"\\\\\\""',
    '{"\\"}{":"]["," , : ":"{"}',
    '{"\\u0061":1,"a":2}',
    ' { "a" :\t[ 1 , -2.5e-3 ,\r\n"x" ] , "b" : { } } ',
    "[1,-1,0.5,1E3,1e-3,-0]",
    '"é ☕ 😀 \u2028"',
  ])("%s", (text) => {
    const { data } = decodeEnvelope(bodyText({ data: `{"n":9007199254740993,"v":${text}}` }));
    expect(data["n"]).toBe(9007199254740993n);
    expect(data["v"]).toStrictEqual(JSON.parse(text));
    expect(JSON.stringify(data["v"])).toBe(JSON.stringify(JSON.parse(text)));
  });
});

describe("millions of escapes in one string", () => {
  const long = '\\n\\"\\\\'.repeat(1_500_000);
  const body = bodyText({ data: `{"n":9007199254740993,"s":"${long}"}` });

  test("decode", () => {
    const { data } = decodeEnvelope(body);
    expect(data["n"]).toBe(9007199254740993n);
    expect(data["s"]).toHaveLength(4_500_000);
  });

  test("amend", () => {
    expect(amendEnvelope(body, { attempts: 3 })).toHaveLength(body.length);
  });
});

test("millions of digits in a row, within a string", () => {
  const s = ` ${"1".repeat(6_000_000)}.`;
  const { data } = decodeEnvelope(bodyText({ data: `{"n":9007199254740993,"s":"${s}"}` }));
  expect(data).toEqual({ n: 9007199254740993n, s });
});
