import { describe, expect, test } from "vitest";
import {
  decodeEnvelope,
  encodeEnvelope,
  InvalidEnvelopeError,
  type InvalidEnvelopeReason,
  type Warning,
} from "../index.js";
import {
  bodyText,
  envelopeOf,
  failureOf,
  metaText,
  nestedText,
  observe,
  URN,
} from "./envelope.fixture.js";

// docs/wire-contract.md §1, "rule for a consumer"
describe("decodeEnvelope accepts", () => {
  test.each<[string, string, Record<string, unknown>]>([
    ["an envelope", bodyText(), {}],
    ["white space around it", ` \r\n\t${bodyText()}\n `, {}],
    ["job as it came", bodyText({ job: '" urn:a:b\\t"' }), { job: " urn:a:b\t" }],
    ["a no-break space as URN", bodyText({ job: '"\u00A0"' }), { job: "\u00A0" }],
    ["the alias urn", bodyText({ job: undefined, urn: '" urn:a:b "' }), { job: " urn:a:b " }],
    [
      "urn where job is blank",
      bodyText({ job: '" \\v"'.replace("\\v", "\\u000b"), urn: '"urn:a:b"' }),
      { job: "urn:a:b" },
    ],
    ["__proto__ as URN", bodyText({ job: '"__proto__"' }), { job: "__proto__" }],
    ["constructor as URN", bodyText({ job: '"constructor"' }), { job: "constructor" }],
    ["a trace_id that is no UUID", bodyText({ trace_id: '" x "' }), { trace_id: " x " }],
    ["empty data", bodyText({ data: "{}" }), { data: {} }],
    ["attempts 1.0", bodyText({ attempts: "1.0" }), { attempts: 1 }],
    ["attempts 2^53-1", bodyText({ attempts: "9007199254740991" }), { attempts: 2 ** 53 - 1 }],
    ["schema_version 1.0", bodyText({ meta: metaText({ schema_version: "1.0" }) }), {}],
    ["unknown keys", bodyText({ future: "[1]" }), { future: [1] }],
    ["a job spelled with escapes", bodyText().replace('"job"', '"\\u006aob"'), {}],
    [
      "a duplicate job: the last one counts",
      bodyText({ job: '"urn:a",   "job":"urn:b"' }),
      { job: "urn:b" },
    ],
    ["duplicate attempts", bodyText({ attempts: '"x","attempts":2' }), { attempts: 2 }],
    ["duplicate data", bodyText({ data: '[],"data":{"a":1,"a":2}' }), { data: { a: 2 } }],
    ["duplicate meta", bodyText({ meta: `7,"meta":${metaText()}` }), {}],
    ["a dead_letter of any kind", bodyText({ dead_letter: "7" }), { dead_letter: 7 }],
    [
      "a lone surrogate in a string",
      bodyText({ data: '{"a":"\uD800"}' }),
      { data: { a: "\uD800" } },
    ],
  ])("%s", (_, body, changes) => {
    const { job, ...decoded } = decodeEnvelope(body);
    expect({ job, ...decoded }).toEqual(envelopeOf(changes));
    expect(Object.hasOwn(decoded, "urn")).toBe(false);
  });

  test.each(["id", "queue", "lang", "created_at"])(
    "meta without %s, and with a wrong one",
    (key) => {
      expect(decodeEnvelope(bodyText({ meta: metaText({ [key]: undefined }) })).job).toBe(URN);
      const odd = decodeEnvelope(bodyText({ meta: metaText({ [key]: "[true]" }) }));
      expect(odd.meta).toHaveProperty(key, [true]);
    },
  );

  test("data 10 000 levels deep", () => {
    const plain = decodeEnvelope(bodyText({ data: nestedText(10_000) }));
    const large = decodeEnvelope(bodyText({ data: nestedText(10_000), big: "9007199254740993" }));
    expect([depthOf(plain.data), depthOf(large.data)]).toEqual([10_000, 10_000]);
  });

  // the second body takes the parser that reads large integers
  test.each([{}, { big: "9007199254740993" }])(
    "keys that an object has already, with %o",
    (extra) => {
      const keys = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
      const meta = metaText({ ["__proto__"]: '{"polluted":true}', constructor: "1" });
      const decoded = decodeEnvelope(bodyText({ data: keys, meta, ...extra }));
      expect(Object.keys(decoded.data)).toEqual(["__proto__", "constructor"]);
      expect(Object.hasOwn(decoded.meta, "__proto__")).toBe(true);
      expect([decoded.data, decoded.meta].map(Object.getPrototypeOf)).toEqual([
        Object.prototype,
        Object.prototype,
      ]);
      expect({}).not.toHaveProperty("polluted");
      expect(JSON.stringify(decoded.data)).toBe(keys);
    },
  );
});

function depthOf(data: unknown): number {
  let depth = 1;
  for (let level = data as { d?: unknown }; level.d !== undefined; level = level.d as object) {
    depth += 1;
  }
  return depth;
}

// the members that are inherited from a __proto__ key are nobody's
const INHERITED = bodyText({ ["__proto__"]: `{"job":"${URN}"}`, job: undefined });

describe("decodeEnvelope rejects", () => {
  test.each<[string, unknown, InvalidEnvelopeReason]>([
    ["nothing", "", "not_json"],
    ["white space", " \n", "not_json"],
    ["truncated JSON", bodyText().slice(0, -1), "not_json"],
    ["1 MiB of [", "[".repeat(1024 * 1024), "not_json"],
    ["a BOM first", `\uFEFF${bodyText()}`, "not_json"],
    ["a lone surrogate outside a string", `\uD800${bodyText()}`, "not_json"],
    ["a trailing comma", bodyText().replace(/\}$/, ",}"), "not_json"],
    ["NaN", bodyText({ attempts: "NaN" }), "not_json"],
    ["a body that is no text", undefined, "not_json"],
    ["bytes", Buffer.from(bodyText()), "not_json"],
    ["null", "null", "not_an_object"],
    ["an array", "[]", "not_an_object"],
    ["a string", '"x"', "not_an_object"],
    ["a number", "1", "not_an_object"],
    ["true", "true", "not_an_object"],
    ["an empty object", "{}", "invalid_urn"],
    ["a job that is a number", bodyText({ job: "42" }), "invalid_urn"],
    ["a blank job", bodyText({ job: '" \\t"' }), "invalid_urn"],
    ["job and urn both blank", bodyText({ job: '""', urn: '""' }), "invalid_urn"],
    ["a job inherited from __proto__", INHERITED, "invalid_urn"],
    ["no trace_id", bodyText({ trace_id: undefined }), "invalid_trace_id"],
    ["a blank trace_id", bodyText({ trace_id: '" "' }), "invalid_trace_id"],
    ["a trace_id that is a number", bodyText({ trace_id: "1" }), "invalid_trace_id"],
    ["no data", bodyText({ data: undefined }), "invalid_data"],
    ["data that is null", bodyText({ data: "null" }), "invalid_data"],
    ["data that is an array", bodyText({ data: "[]" }), "invalid_data"],
    ["data that is a string", bodyText({ data: '"{}"' }), "invalid_data"],
    ["no meta", bodyText({ meta: undefined }), "invalid_meta"],
    ["meta that is an array", bodyText({ meta: "[]" }), "invalid_meta"],
    ["meta that is null", bodyText({ meta: "null" }), "invalid_meta"],
    ...["2", "0", '"1"', "true", "null", "1.5", "[1]", undefined].map(
      (version): [string, string, InvalidEnvelopeReason] => [
        `schema_version ${version}`,
        bodyText({ meta: metaText({ schema_version: version }) }),
        "unsupported_schema_version",
      ],
    ),
    ...["1.5", "-1.5", '"1"', "1e400", "-1e400", "true", "[0]", "{}"].map(
      (attempts): [string, string, InvalidEnvelopeReason] => [
        `attempts ${attempts}`,
        bodyText({ attempts }),
        "invalid_attempts",
      ],
    ),
  ])("%s", (_, body, reason) => {
    const error = failureOf(() => decodeEnvelope(body as string));
    expect(error).toBeInstanceOf(InvalidEnvelopeError);
    expect(error).toMatchObject({ code: "invalid_envelope", reason });
    expect(error.cause).toBeUndefined();
    expect(error.message.length).toBeLessThan(300);
  });

  test.each([
    ["a long text of attempts", bodyText({ attempts: `"${"9".repeat(10_000)}"` })],
    ["a long number for data", bodyText({ data: "9".repeat(10_000) })],
  ])("%s with a short message", (_, body) => {
    expect(failureOf(() => decodeEnvelope(body)).message.length).toBeLessThan(300);
  });

  test("with a message that says what was received and what was expected", () => {
    const error = failureOf(() => decodeEnvelope(bodyText({ attempts: '"1"' })));
    expect(error.message).toBe(
      'Not a BabelQueue envelope: "attempts" must be a whole number from 0 to 2^53−1, and is a string.',
    );
  });
});

describe("what decodeEnvelope puts right, it tells", () => {
  test.each<[string, string, Record<string, unknown>, string, string]>([
    [
      "a job that is null",
      bodyText({ job: "null", urn: '"u"' }),
      { job: "u" },
      "ignored_job",
      "/job",
    ],
    [
      "a job that is a number",
      bodyText({ job: "42", urn: '"u"' }),
      { job: "u" },
      "ignored_job",
      "/job",
    ],
    [
      "a job that is an object",
      bodyText({ job: "{}", urn: '"u"' }),
      { job: "u" },
      "ignored_job",
      "/job",
    ],
    ["an alias beside a job", bodyText({ urn: '"urn:other"' }), {}, "dropped_key", "/urn"],
    ["an alias that is no string", bodyText({ urn: "null" }), {}, "dropped_key", "/urn"],
    ...[
      [undefined, 0],
      ["null", 0],
      ["-1", 0],
      ["-9007199254740993", 0],
      ["9007199254740992", Number.MAX_SAFE_INTEGER],
      ["1e300", Number.MAX_SAFE_INTEGER],
      ["9".repeat(300), Number.MAX_SAFE_INTEGER],
    ].map(([text, attempts]): [string, string, Record<string, unknown>, string, string] => [
      `attempts ${String(text).slice(0, 20)}`,
      bodyText({ attempts: text as string | undefined }),
      { attempts },
      "adjusted_attempts",
      "/attempts",
    ]),
  ])("%s", (_, body, changes, code, pointer) => {
    for (const largeIntegers of ["bigint", "number"] as const) {
      const warnings: Warning[] = [];
      const onWarning = (warning: Warning) => warnings.push(warning);
      expect(decodeEnvelope(body, { onWarning, largeIntegers })).toEqual(envelopeOf(changes));
      expect(warnings).toEqual([{ code, pointer, message: expect.stringContaining(pointer) }]);
      expect(warnings[0]?.message.length).toBeLessThan(150);
    }
  });

  test("a blank job, and an alias where there is none, are nothing to tell", () => {
    const warnings: Warning[] = [];
    const onWarning = (warning: Warning) => warnings.push(warning);
    for (const job of ['""', '" \\t"', undefined]) {
      decodeEnvelope(bodyText({ job, urn: '"u"' }), { onWarning });
    }
    expect(warnings).toEqual([]);
  });
});

describe("the six keys that no envelope may hold", () => {
  const FORBIDDEN: [string, string][] = [
    ["/timestamp", bodyText({ timestamp: "1" })],
    ["/urn", bodyText({ urn: "1" })],
    ...["max_retries", "attempts", "source", "ts"].map((key): [string, string] => [
      `/meta/${key}`,
      bodyText({ meta: metaText({ [key]: "null" }) }),
    ]),
  ];

  test.each(FORBIDDEN)(
    "%s is dropped with a warning, and the message accepted",
    (pointer, body) => {
      const warnings: Warning[] = [];
      const decoded = decodeEnvelope(body, { onWarning: (warning) => warnings.push(warning) });
      expect(decoded).toStrictEqual(envelopeOf());
      expect(warnings).toEqual([
        { code: "dropped_key", pointer, message: expect.stringContaining(pointer) },
      ]);
    },
  );

  test("without a hook the warning is a process warning", async () => {
    const { warnings } = await observe(() => decodeEnvelope(bodyText({ timestamp: '"secret"' })));
    expect(warnings).toMatchObject([{ name: "BabelQueueWarning", code: "dropped_key" }]);
    expect(warnings[0]?.message).toContain("/timestamp");
    expect(warnings[0]?.message).not.toContain("secret");
  });

  test("a hook that throws is the caller's to catch", () => {
    const told: string[] = [];
    const onWarning = ({ code }: { code: string }): never => {
      told.push(code);
      throw new Error("hook");
    };
    expect(() => decodeEnvelope(bodyText({ timestamp: "1" }), { onWarning })).toThrow("hook");
    expect(told).toEqual(["dropped_key"]);
  });

  test("are nobody's business elsewhere", () => {
    const data = '{"timestamp":1,"ts":2,"meta":{"source":3}}';
    const body = bodyText({ data, ts: "4", source: "5", max_retries: "6" });
    expect(encodeEnvelope(decodeEnvelope(body))).toBe(body);
  });
});

describe("decode, then encode", () => {
  test.each([
    ["unknown keys", bodyText({ dead_letter: '{"reason":"failed"}', future: '{"a":[1,{}]}' })],
    ["unknown keys in meta", bodyText({ meta: metaText({ region: '"eu"', shard: "7" }) })],
    ["another language", bodyText({ meta: metaText({ lang: '"c++ (odd)"' }) })],
    ["empty data", bodyText({ data: "{}" })],
    ["slashes and non-ASCII", bodyText({ data: '{"a/b":"Café — ☕ 😀 /"}' })],
    [
      "U+FFFE, U+FFFF, lone surrogates",
      bodyText({ data: '{"\\ufffe":"\\uffff","\\udfff":"\\ud800"}' }),
    ],
    ["large integers", bodyText({ data: '{"id":9223372036854775807,"all":[-9007199254740993]}' })],
    ["__proto__", bodyText({ data: '{"__proto__":{"a":1}}', big: "9007199254740993" })],
  ])("keeps %s", (_, body) => {
    expect(encodeEnvelope(decodeEnvelope(body))).toBe(body);
  });
});
