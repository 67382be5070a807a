import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createEnvelope, encodeEnvelope, InvalidEnvelopeError, SOURCE_LANG } from "../index.js";
import { bodyText, CREATED_AT, envelopeOf, failureOf, TRACE_ID, URN } from "./envelope.fixture.js";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: CREATED_AT });
});
afterEach(() => {
  vi.useRealTimers();
});

// docs/wire-contract.md §1, "rule for a producer"
describe("a new envelope", () => {
  test("is written compactly, byte for byte in the order of the contract", () => {
    const envelope = createEnvelope(URN, { order_id: 1042 }, { queue: "orders" });
    expect(encodeEnvelope(envelope)).toBe(
      `{"job":"urn:babel:orders:created","trace_id":"${envelope.trace_id}","data":{"order_id":1042},` +
        `"meta":{"id":"${envelope.meta.id}","queue":"orders","lang":"node","schema_version":1,` +
        `"created_at":1749132727000},"attempts":0}`,
    );
  });

  test("has the keys of the contract, in its order, and no others", () => {
    const envelope = createEnvelope(URN, {});
    expect(Object.keys(envelope)).toEqual(["job", "trace_id", "data", "meta", "attempts"]);
    expect(Object.keys(envelope.meta)).toEqual([
      "id",
      "queue",
      "lang",
      "schema_version",
      "created_at",
    ]);
  });

  test("has an id and a trace of its own, both UUID v4", () => {
    const [one, other] = [createEnvelope(URN, {}), createEnvelope(URN, {})];
    const ids = [one.meta.id, one.trace_id, other.meta.id, other.trace_id];
    for (const id of ids) expect(id).toMatch(UUID_V4);
    expect(new Set(ids).size).toBe(4);
  });

  test("says what it was made by, when, and that it is new", () => {
    expect(SOURCE_LANG).toBe("node");
    expect(createEnvelope(URN, {})).toMatchObject({
      meta: { lang: "node", schema_version: 1, created_at: CREATED_AT },
      attempts: 0,
    });
  });

  test.each([
    [" urn:babel:orders:created\n", URN],
    [" \t\n\v\f\rOrders/Created\r\f\v\n\t ", "Orders/Created"],
    ["\u00A0Orders/Created\u3000", "\u00A0Orders/Created\u3000"],
    ["\u2003", "\u2003"],
    ["__proto__", "__proto__"],
  ])("the URN %j becomes %j: trimmed, no convention enforced", (urn, job) => {
    expect(createEnvelope(urn, {}).job).toBe(job);
  });

  test.each([
    ["", "a blank string"],
    [" \t\n", "a blank string"],
    [undefined, "missing"],
    [42, "a number"],
  ])("the URN %j is refused, and the message says so", (urn, said) => {
    const error = failureOf(() => createEnvelope(urn as string, {}));
    expect(error).toBeInstanceOf(InvalidEnvelopeError);
    expect(error).toMatchObject({ code: "invalid_envelope", reason: "invalid_urn" });
    expect(error.message).toContain(`and is ${said}`);
  });

  test.each([
    ["orders", "orders"],
    ["", "default"],
    [" ", "default"],
    [undefined, "default"],
  ])("the queue %j becomes %j", (queue, expected) => {
    expect(createEnvelope(URN, {}, { queue }).meta.queue).toBe(expected);
  });

  test("continues the trace that it is given, as it is", () => {
    expect(createEnvelope(URN, {}, { traceId: TRACE_ID }).trace_id).toBe(TRACE_ID);
    expect(createEnvelope(URN, {}, { traceId: "no-uuid" }).trace_id).toBe("no-uuid");
  });

  test.each(["", "  \n", undefined])("starts a trace when given %j", (traceId) => {
    expect(createEnvelope(URN, {}, { traceId }).trace_id).toMatch(UUID_V4);
  });

  test("keeps the caller's data as it is", () => {
    const data = Object.freeze({ order_id: 1 });
    expect(createEnvelope(URN, data).data).toBe(data);
  });
});

describe("encodeEnvelope", () => {
  test("puts known keys first, whatever order they are held in, and unknown ones after them", () => {
    const { meta, ...rest } = envelopeOf();
    const { id, ...others } = meta;
    const jumbled = { future: 1, meta: { region: "eu", ...others, id }, ...rest };
    expect(encodeEnvelope(jumbled)).toBe(
      bodyText({ future: "1" }).replace('"created_at":1749132727000', '$&,"region":"eu"'),
    );
  });

  test("keeps unknown keys named __proto__ and constructor", () => {
    const odd = JSON.parse(bodyText({ ["__proto__"]: '{"a":1}', constructor: "2" })) as never;
    expect(encodeEnvelope(odd)).toBe(bodyText({ ["__proto__"]: '{"a":1}', constructor: "2" }));
  });

  test("leaves out what is undefined", () => {
    const meta = { ...envelopeOf().meta, id: undefined };
    expect(encodeEnvelope(envelopeOf({ dead_letter: undefined, extra: undefined, meta }))).toBe(
      bodyText().replace(/"id":"[^"]+",/, ""),
    );
  });

  test.each([
    ["a blank URN", { job: " " }, "invalid_urn"],
    ["a blank trace_id", { trace_id: "" }, "invalid_trace_id"],
    ["no meta", { meta: undefined }, "invalid_meta"],
    ["another schema version", { meta: { schema_version: 2 } }, "unsupported_schema_version"],
    ["attempts of -1", { attempts: -1 }, "invalid_attempts"],
    ["attempts of 1.5", { attempts: 1.5 }, "invalid_attempts"],
  ])("refuses %s, as a consumer would", (_, changes, reason) => {
    const error = failureOf(() => encodeEnvelope(envelopeOf(changes)));
    expect(error).toMatchObject({ name: "InvalidEnvelopeError", reason });
  });

  test("refuses what is no envelope at all", () => {
    const error = failureOf(() => encodeEnvelope([] as never));
    expect(error).toMatchObject({ reason: "not_an_object" });
  });

  test("changes nothing of what it is given", () => {
    const { meta, data } = envelopeOf();
    const frozen = Object.freeze(
      envelopeOf({
        timestamp: undefined,
        meta: Object.freeze(meta),
        data: Object.freeze(data),
      }),
    );
    expect(encodeEnvelope(frozen)).toBe(bodyText());
  });
});
