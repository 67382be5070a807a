import { describe, expect, test } from "vitest";
import {
  createEnvelope,
  decodeEnvelope,
  encodeEnvelope,
  InvalidArgumentError,
  InvalidEnvelopeError,
  InvalidPayloadError,
} from "../index.js";
import { envelopeOf, failureOf, URN } from "./envelope.fixture.js";

const VENDOR = { ext: { acme: { tier: "gold", flags: [1, 2] } }, vendor_flag: true };

describe("createEnvelope with keys of the caller's in meta", () => {
  test("writes them beside the generated ones, and they survive being passed on", () => {
    const text = encodeEnvelope(createEnvelope(URN, {}, { queue: "orders", meta: VENDOR }));
    const { meta } = decodeEnvelope(text);
    expect(meta).toMatchObject({ queue: "orders", lang: "node", schema_version: 1, ...VENDOR });
    expect(Object.keys(meta).slice(0, 5)).toEqual(Object.keys(createEnvelope(URN, {}).meta));
    expect(encodeEnvelope(decodeEnvelope(text))).toBe(text);
  });

  test("does not change or keep the object that it is given", () => {
    const meta = Object.freeze({ ...VENDOR });
    expect(createEnvelope(URN, {}, { meta }).meta).not.toBe(meta);
  });

  test.each(["id", "queue", "lang", "schema_version", "created_at"])(
    "refuses %s, which is generated",
    (key) => {
      const error = failureOf(() => createEnvelope(URN, {}, { meta: { [key]: 1 } }));
      expect(error).toBeInstanceOf(InvalidArgumentError);
      expect(error).toMatchObject({ argument: "meta" });
      expect(error.message).toContain(`its key ${key} is reserved`);
    },
  );

  test.each(["max_retries", "attempts", "source", "ts"])(
    "refuses %s, which no envelope may hold",
    (key) => {
      const error = failureOf(() => createEnvelope(URN, {}, { meta: { [key]: undefined } }));
      expect(error).toBeInstanceOf(InvalidArgumentError);
      expect(error.message).toContain(`its key ${key} is reserved`);
    },
  );

  test.each([
    ["a text", "x"],
    ["an array", []],
    ["null", null],
    ["a Map", new Map()],
  ])("refuses %s in the place of the object", (_, meta) => {
    const error = failureOf(() => createEnvelope(URN, {}, { meta: meta as never }));
    expect(error).toMatchObject({ code: "invalid_argument", argument: "meta" });
  });

  test("is refused at encoding where JSON would lose something of them", () => {
    const envelope = createEnvelope(URN, {}, { meta: { ext: { ratio: NaN } } });
    const error = failureOf(() => encodeEnvelope(envelope));
    expect(error).toBeInstanceOf(InvalidPayloadError);
    expect(error).toMatchObject({ pointer: "/meta/ext/ratio" });
  });
});

describe("encodeEnvelope", () => {
  test.each<[string, Record<string, unknown>]>([
    ["/timestamp", { timestamp: 1 }],
    ["/urn", { urn: URN }],
    ...["max_retries", "attempts", "source", "ts"].map((key): [string, Record<string, unknown>] => [
      `/meta/${key}`,
      { meta: { ...envelopeOf().meta, [key]: null } },
    ]),
  ])("refuses %s by its name", (pointer, changes) => {
    const error = failureOf(() => encodeEnvelope(envelopeOf(changes)));
    expect(error).toBeInstanceOf(InvalidEnvelopeError);
    expect(error).toMatchObject({ reason: "forbidden_key" });
    expect(error.message).toContain(pointer);
  });

  test("leaves out such a key where it is undefined", () => {
    expect(encodeEnvelope(envelopeOf({ timestamp: undefined }))).toBe(encodeEnvelope(envelopeOf()));
  });

  test("writes a job as it is, untrimmed", () => {
    expect(encodeEnvelope(envelopeOf({ job: " urn:a " }))).toContain('"job":" urn:a "');
  });

  test("refuses a URN that only its alias has", () => {
    const error = failureOf(() => encodeEnvelope(envelopeOf({ job: " ", urn: URN })));
    expect(error).toMatchObject({ reason: "invalid_urn" });
  });
});
