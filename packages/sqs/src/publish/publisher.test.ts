import {
  createEnvelope,
  decodeEnvelope,
  type Envelope,
  InvalidArgumentError,
  InvalidEnvelopeError,
  InvalidPayloadError,
  type Outbound,
  type Send,
  type SendMiddleware,
  type Warning,
} from "@babelqueue/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  bodyText,
  deepFreeze,
  envelopeOf,
  metaText,
  type Probe,
  probe,
  rejection,
  SIX,
  TRACE_ID,
  text,
  URN,
} from "../contract.fixture.js";
import {
  type BatchMessage,
  type PublishOptions,
  type SendOptions,
  SqsPublisher,
  type SqsPublisherOptions,
} from "../index.js";
import {
  FakeServer,
  type Kind,
  nameOf,
  passSeconds,
  SERVERS,
  type Server,
} from "../servers.fixture.js";

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const KINDS: readonly Kind[] = ["standard", "fifo"];

afterEach(() => {
  vi.useRealTimers();
});

interface Arranged {
  readonly url: string;
  readonly publisher: SqsPublisher;
  readonly warnings: Warning[];
}

function blamesMeta(what: string): object {
  const message: unknown = expect.stringContaining(what);
  return { code: "invalid_argument", argument: "meta", message };
}

async function arrange(
  server: Server,
  kind: Kind = "standard",
  options: SqsPublisherOptions = {},
  attributes: Record<string, string> = {},
): Promise<Arranged> {
  const url = await server.createQueue(kind, attributes);
  const warnings: Warning[] = [];
  const onWarning = (warning: Warning): unknown => warnings.push(warning);
  const publisher = new SqsPublisher(server.client, url, { onWarning, ...options });
  return { url, publisher, warnings };
}

/** What a handler sees of what is published. */
async function roundTrip(
  server: Server,
  data: object,
  options: PublishOptions = {},
): Promise<Probe["handled"][number] & Pick<Arranged, "warnings">> {
  const { url, publisher, warnings } = await arrange(server);
  const id = await publisher.publish(URN, deepFreeze(data), deepFreeze(options));
  const { poll, handled, reported } = probe(server, url);
  await poll();
  expect(reported).toEqual([]);
  const [only] = handled;
  if (only === undefined) throw new Error("Nothing was handled");
  expect(only.envelope.meta.id).toBe(id);
  return { ...only, warnings };
}

describe.each(SERVERS)("$name", (server) => {
  describe.each(KINDS)("a %s queue", (kind) => {
    test("gets the envelope and exactly the six attributes; the caller gets the meta.id", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: 1_790_000_000_123 });
      const { url, publisher } = await arrange(server, kind);
      const id = await publisher.publish(` ${URN}\n`, { order_id: 1042 });
      const { body = "", attributes, group, deduplicationId } = await server.letter(url);
      const { trace_id } = decodeEnvelope(body);
      expect(id).toMatch(UUID);
      expect(trace_id).toMatch(UUID);
      expect(body).toBe(
        `{"job":"${URN}","trace_id":"${trace_id}","data":{"order_id":1042},` +
          `"meta":{"id":"${id}","queue":"${nameOf(url)}","lang":"node","schema_version":1,` +
          `"created_at":1790000000123},"attempts":0}`,
      );
      expect(attributes).toEqual({
        ...SIX,
        "bq-trace-id": text(trace_id),
        "bq-message-id": text(id),
        "bq-created-at": { DataType: "Number", StringValue: "1790000000123" },
      });
      expect([group, deduplicationId]).toEqual(
        kind === "fifo" ? [nameOf(url), id] : [undefined, undefined],
      );
    });

    test("gets an envelope as it is, unknown keys included", async () => {
      const { url, publisher } = await arrange(server, kind);
      const meta = { ...envelopeOf().meta, lang: "php", region: "eu" };
      const block = { reason: "failed", error: "x" };
      const envelope = deepFreeze(
        envelopeOf({ meta, attempts: 3, tenant: [1], dead_letter: block }),
      );
      expect(await publisher.publishEnvelope(envelope)).toBe(meta.id);
      const { body = "", attributes } = await server.letter(url);
      expect(JSON.parse(body)).toEqual(envelope);
      expect(attributes).toEqual({ ...SIX, "bq-source-lang": text("php") });
    });

    test.each([
      "/timestamp",
      "/urn",
      "/meta/ts",
      "/meta/source",
      "/meta/attempts",
      "/meta/max_retries",
    ])("gets no envelope with %s, which no envelope may hold", async (pointer) => {
      const { url, publisher } = await arrange(server, kind);
      const key = pointer.slice(pointer.lastIndexOf("/") + 1);
      const envelope = pointer.startsWith("/meta")
        ? envelopeOf({ meta: { ...envelopeOf().meta, [key]: 1 } })
        : envelopeOf({ [key]: 1 });
      const error = await rejection(publisher.publishEnvelope(deepFreeze(envelope)));
      expect(error).toBeInstanceOf(InvalidEnvelopeError);
      expect(error).toMatchObject({
        reason: "forbidden_key",
        message: expect.stringMatching(new RegExp(`no envelope may hold ${pointer}\\b`)),
      });
      expect(await server.total(url)).toBe(0);
    });

    test("gets what a handler received with such keys, without them", async () => {
      const { url, publisher } = await arrange(server, kind);
      const members = {
        timestamp: "1",
        urn: '"urn:other"',
        meta: metaText({ ts: "1", source: "1" }),
      };
      const received = decodeEnvelope(bodyText(members), { onWarning: () => undefined });
      await publisher.publishEnvelope(received);
      expect(await server.letter(url)).toMatchObject({ body: bodyText(), attributes: SIX });
    });

    test("gets a job with white space around it as it is, in the body and beside it", async () => {
      const { url, publisher } = await arrange(server, kind);
      const job = ` ${URN}\u00A0`;
      await publisher.publishEnvelope(envelopeOf({ job }));
      const { body, attributes } = await server.letter(url);
      expect(body).toBe(bodyText({ job: JSON.stringify(job) }));
      expect(attributes).toEqual({ ...SIX, "bq-job": text(job) });
    });

    test("gets the caller's keys in meta, behind the generated ones", async () => {
      const { url, publisher } = await arrange(server, kind);
      const meta = deepFreeze({ ext: { acme: { id: 2n ** 63n, tags: [1] } }, "a/b": null });
      const id = await publisher.publish(URN, {}, { meta });
      const { results } = await publisher.publishBatch([
        { urn: URN, data: {}, meta },
        { urn: URN, data: {} },
      ]);
      const own = ',"ext":{"acme":{"id":9223372036854775808,"tags":[1]}},"a/b":null},"attempts":0}';
      const { poll, handled } = probe(server, url);
      while ((await poll()) > 0);
      const bodies = new Map(
        handled.map(({ envelope, message }) => [envelope.meta.id, message.Body ?? ""]),
      );
      const ids = [id, ...results.map((result) => (result.ok ? result.id : ""))];
      const [one, other, without] = ids.map((each) => bodies.get(each) ?? "");
      for (const body of [one, other]) {
        expect(body?.slice(body.indexOf(',"created_at":'))).toMatch(/^,"created_at":\d{13},"ext"/);
        expect(body?.endsWith(own)).toBe(true);
      }
      expect(handled).toMatchObject([{ envelope: { meta } }, { envelope: { meta } }, {}]);
      expect(Object.keys(decodeEnvelope(without ?? "").meta)).toEqual(
        Object.keys(envelopeOf().meta),
      );
    });
  });

  test.each<[string, PublishOptions["traceId"], unknown]>([
    ["a given one", TRACE_ID, TRACE_ID],
    ["none", undefined, expect.stringMatching(UUID)],
    ["a blank one", " ", expect.stringMatching(UUID)],
    ["an empty one", "", expect.stringMatching(UUID)],
    ["one with white space around it", ` \t\n\v\f\r${TRACE_ID}\r\n `, TRACE_ID],
    ["one of no-break spaces, which are not blank", " \u00A0x\u3000 ", "\u00A0x\u3000"],
  ])("trace_id for %s", async (_, traceId, expected) => {
    const { envelope } = await roundTrip(server, {}, { traceId });
    expect(envelope.trace_id).toEqual(expected);
  });

  interface Order {
    id: number;
    placed: Date;
    note?: string | undefined;
  }
  const order: Order = { id: 1, placed: new Date(0), note: undefined };

  test.each<[string, object, object]>([
    ["an empty object", {}, {}],
    ["an interface-typed object with a Date", order, { id: 1, placed: "1970-01-01T00:00:00.000Z" }],
    [
      "a class instance",
      new (class Point {
        x = 1;
      })(),
      { x: 1 },
    ],
    [
      "an object without prototype",
      Object.assign(Object.create(null) as object, { a: 1 }),
      { a: 1 },
    ],
    ["a bigint", { id: 2n ** 64n, small: 1n }, { id: 2n ** 64n, small: 1 }],
    ["U+FFFE and U+FFFF", { "k\uFFFE": "v\uFFFF" }, { "k\uFFFE": "v\uFFFF" }],
    ["lone surrogates", { "k\uD800": "\uDC00v" }, { "k\uD800": "\uDC00v" }],
    ["control characters", { "\0": "\u001B\u007F\n" }, { "\0": "\u001B\u007F\n" }],
    ["a BOM and U+2028", { a: "\uFEFF\u2028" }, { a: "\uFEFF\u2028" }],
    [
      "__proto__ as a key",
      JSON.parse('{"__proto__":{"a":1}}') as object,
      JSON.parse('{"__proto__":{"a":1}}') as object,
    ],
    ["-0", { a: -0 }, { a: 0 }],
  ])("data with %s arrives", async (_, data, expected) => {
    const { envelope } = await roundTrip(server, data);
    expect(envelope.data).toEqual(expected);
  });

  test("a Date as data, which toJSON makes a string, is refused", async () => {
    const { publisher } = await arrange(server);
    expect(await rejection(publisher.publish(URN, new Date()))).toBeInstanceOf(InvalidPayloadError);
  });

  const cycle: { self?: unknown } = {};
  cycle.self = [cycle];
  const BAD: [string, string, unknown, object][] = [
    ["a blank URN", " ", {}, { code: "invalid_envelope", reason: "invalid_urn" }],
    ["an empty URN", "", {}, { code: "invalid_envelope", reason: "invalid_urn" }],
    ["no URN", undefined as never, {}, { code: "invalid_envelope", reason: "invalid_urn" }],
    ["an array as data", URN, [], { code: "invalid_payload", pointer: "/data" }],
    ["null as data", URN, null, { code: "invalid_payload", pointer: "/data" }],
    ["a string as data", URN, "x", { code: "invalid_payload", pointer: "/data" }],
    ["no data", URN, undefined, { code: "invalid_payload", pointer: "/data" }],
    ["a Map as data", URN, new Map(), { code: "invalid_payload", pointer: "/data" }],
    ["a Buffer as data", URN, Buffer.alloc(1), { code: "invalid_payload", pointer: "/data" }],
    ["NaN in data", URN, { a: [{ "b/c~": Number.NaN }] }, { pointer: "/data/a/0/b~1c~0" }],
    ["a Map in data", URN, { m: new Map() }, { code: "invalid_payload", pointer: "/data/m" }],
    ["undefined in an array", URN, { a: [undefined] }, { pointer: "/data/a/0" }],
    ["a function in data", URN, { f: () => 1 }, { code: "invalid_payload", pointer: "/data/f" }],
    ["a cycle", URN, cycle, { code: "invalid_payload", pointer: "/data/self/0" }],
    [
      "a throwing getter",
      URN,
      {
        get a(): never {
          throw new Error("x");
        },
      },
      { code: "invalid_payload" },
    ],
  ];
  test.each(BAD)("publish refuses %s", async (_, urn, data, expected) => {
    const { url, publisher } = await arrange(server);
    expect(await rejection(publisher.publish(urn, data as object))).toMatchObject(expected);
    expect(await server.count(url)).toEqual({ visible: 0, hidden: 0 });
  });

  test.each<[string, unknown, string]>([
    ["null", null, "not_an_object"],
    ["an array", [], "not_an_object"],
    ["no job", envelopeOf({ job: undefined }), "invalid_urn"],
    ["a blank trace_id", envelopeOf({ trace_id: " " }), "invalid_trace_id"],
    ["no meta", envelopeOf({ meta: undefined }), "invalid_meta"],
    ["schema_version 2", envelopeOf({ meta: { schema_version: 2 } }), "unsupported_schema_version"],
    ["attempts -1", envelopeOf({ attempts: -1 }), "invalid_attempts"],
  ])("publishEnvelope refuses %s", async (_, envelope, reason) => {
    for (const kind of KINDS) {
      const { publisher } = await arrange(server, kind);
      const error = await rejection(publisher.publishEnvelope(envelope as Envelope));
      expect(error).toBeInstanceOf(InvalidEnvelopeError);
      expect(error).toMatchObject({ reason });
    }
  });

  const GENERATED = ["id", "queue", "lang", "schema_version", "created_at"];
  const FORBIDDEN = ["max_retries", "attempts", "source", "ts"];
  const BAD_META: [string, unknown, object][] = [
    ...GENERATED.map((key): [string, unknown, object] => [
      `the generated key ${key}`,
      { ext: {}, [key]: "mine" },
      blamesMeta(`its key ${key} is`),
    ]),
    ...FORBIDDEN.map((key): [string, unknown, object] => [
      `the forbidden key ${key}`,
      { [key]: undefined },
      blamesMeta(`its key ${key} is`),
    ]),
    ["an array", [], blamesMeta("a plain object")],
    ["a text", "x", blamesMeta("a plain object")],
    ["null", null, blamesMeta("a plain object")],
    ["a Map", new Map([["a", 1]]), blamesMeta("a plain object")],
    [
      "NaN",
      { ext: { ratio: Number.NaN } },
      { code: "invalid_payload", pointer: "/meta/ext/ratio" },
    ],
    ["a Map in it", { "a/b": [new Map()] }, { code: "invalid_payload", pointer: "/meta/a~1b/0" }],
    ["a function", { f: () => 1 }, { code: "invalid_payload", pointer: "/meta/f" }],
  ];
  test.each(BAD_META)(
    "meta with %s is refused by its name, and nothing is sent",
    async (...row) => {
      const meta = row[1] as NonNullable<PublishOptions["meta"]>;
      for (const kind of KINDS) {
        const { url, publisher } = await arrange(server, kind);
        const ErrorClass = "pointer" in row[2] ? InvalidPayloadError : InvalidArgumentError;
        const error = await rejection(publisher.publish(URN, {}, { meta }));
        expect(error).toBeInstanceOf(ErrorClass);
        expect(error).toMatchObject(row[2]);
        expect(await server.total(url)).toBe(0);

        const { results } = await publisher.publishBatch([
          { urn: URN, data: {}, meta },
          { urn: URN, data: {} },
        ]);
        expect(results).toMatchObject([{ ok: false, error: row[2] }, { ok: true }]);
        expect(await server.total(url)).toBe(1);
      }
    },
  );

  test("headers arrive; the contract wins a collision, blank ones do not travel", async () => {
    const given = {
      zeta: "1",
      "bq-job": "mine",
      traceparent: "00-a-b-01",
      "": "x",
      blank: " ",
      tracestate: "v=1",
    };
    const { headers, message, warnings } = await roundTrip(server, {}, { headers: given });
    expect(headers).toEqual({ traceparent: "00-a-b-01", tracestate: "v=1", zeta: "1" });
    expect(message.MessageAttributes?.["bq-job"]).toEqual(text(URN));
    expect(warnings).toEqual([]);
  });

  test("headers that SQS refuses, or has no room for, are left out with a warning", async () => {
    const names = Array.from({ length: 50 }, (_, n) => `h${String(n).padStart(2, "0")}`);
    const given = { ...Object.fromEntries(names.map((name) => [name, "1"])), "a b": "1", a: "\0" };
    const { headers, warnings } = await roundTrip(server, {}, { headers: given });
    expect(Object.keys(headers).sort()).toEqual(names.slice(0, 4));
    expect(new Set(warnings.map(({ header }) => header))).toEqual(
      new Set(["a", "a b", ...names.slice(4)]),
    );
    expect(warnings).toHaveLength(48);
  });

  test("the header __proto__ costs no message and no other header", async () => {
    const given = JSON.parse('{"__proto__":"1","a":"2"}') as Record<string, string>;
    const { headers } = await roundTrip(server, {}, { headers: given });
    expect(headers["a"]).toBe("2");
  });

  describe("FIFO ids", () => {
    const CASES: [string, SqsPublisherOptions, SendOptions, object][] = [
      ["of the publisher", { messageGroupId: "g" }, {}, { group: "g" }],
      ["of the message", { messageGroupId: "g" }, { messageGroupId: "h" }, { group: "h" }],
      [
        "blank ones count as none",
        { messageGroupId: "g" },
        { messageGroupId: " ", deduplicationId: "" },
        { group: "g", deduplicationId: envelopeOf().meta.id },
      ],
      ["a deduplication id", {}, { deduplicationId: "d" }, { deduplicationId: "d" }],
      [
        "given in spite of content-based deduplication",
        { contentBasedDeduplication: true },
        { deduplicationId: "d" },
        { deduplicationId: "d" },
      ],
    ];
    test.each(CASES)("%s", async (_, options, sendOptions, expected) => {
      const { url, publisher } = await arrange(server, "fifo", deepFreeze(options));
      await publisher.publishEnvelope(envelopeOf(), deepFreeze(sendOptions));
      expect(await server.letter(url)).toMatchObject({ group: nameOf(url), ...expected });
    });

    test("content-based deduplication takes the same content once", async () => {
      const options = { contentBasedDeduplication: true, fifo: true };
      const attributes = { ContentBasedDeduplication: "true" };
      const { url, publisher } = await arrange(server, "fifo", options, attributes);
      await publisher.publishEnvelope(envelopeOf());
      await publisher.publishEnvelope(envelopeOf());
      expect(await server.count(url)).toMatchObject({ visible: 1 });
    });

    test("the same meta.id is taken once", async () => {
      const { url, publisher } = await arrange(server, "fifo");
      await publisher.publishEnvelope(envelopeOf());
      await publisher.publishEnvelope(envelopeOf({ data: { other: 1 } }));
      expect(await server.count(url)).toMatchObject({ visible: 1 });
    });
  });

  describe("a delay", () => {
    test("hides a message for so long, whole seconds", async () => {
      const { url, publisher } = await arrange(server);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
      await publisher.publish(URN, {}, { delaySeconds: 10.9 });
      passSeconds(9);
      expect(await server.letters(url)).toHaveLength(0);
      passSeconds(2);
      expect(await server.letters(url)).toHaveLength(1);
    });

    test.each([0, 0.9, Number.NaN, undefined])("of %s is none", async (delaySeconds) => {
      for (const kind of KINDS) {
        const { url, publisher } = await arrange(server, kind);
        await publisher.publish(URN, {}, { delaySeconds });
        expect(await server.letters(url)).toHaveLength(1);
      }
    });

    test.each([901, 1e9, Number.POSITIVE_INFINITY, -1, -0.5, Number.NEGATIVE_INFINITY])(
      "of %s is refused before the network",
      async (delaySeconds) => {
        const { url, publisher } = await arrange(server);
        const error = await rejection(publisher.publish(URN, {}, { delaySeconds }));
        expect(error).toBeInstanceOf(InvalidArgumentError);
        expect(error).toMatchObject({ argument: "delaySeconds" });
        expect(await server.count(url)).toEqual({ visible: 0, hidden: 0 });
      },
    );

    test("on a FIFO queue is refused before the network", async () => {
      const { url, publisher } = await arrange(server, "fifo");
      const error = await rejection(publisher.publish(URN, {}, { delaySeconds: 1 }));
      expect(error).toMatchObject({ code: "invalid_argument", argument: "delaySeconds" });
      expect(await server.count(url)).toEqual({ visible: 0, hidden: 0 });
    });
  });

  describe("publishBatch", () => {
    test.each([0, 1, 9, 10, 11, 25, 1000])("of %d", async (length) => {
      const { url, publisher } = await arrange(server);
      const messages = Array.from({ length }, (_, n) => ({ urn: URN, data: { n } }));
      const { results } = await publisher.publishBatch(deepFreeze(messages));
      expect(results).toHaveLength(length);
      expect(new Set(results.map((result) => result.ok && result.id)).size).toBe(length);
      expect(await server.count(url)).toEqual({ visible: length, hidden: 0 });
    });

    test.each(KINDS)("bad ones in between fail alone, on a %s queue", async (kind) => {
      const { url, publisher } = await arrange(server, kind);
      const bad: BatchMessage[] = [
        ...BAD.map(([, urn, data]) => ({ urn, data: data as object })),
        { urn: URN, data: {}, delaySeconds: 901 },
        { urn: URN, data: { text: "x".repeat(1_048_576) } },
        null as never,
      ];
      const messages = bad.flatMap((message, n) => [message, { urn: URN, data: { n } }]);
      const { results } = await publisher.publishBatch(messages);
      expect(results.map(({ ok }) => ok)).toEqual(bad.flatMap(() => [false, true]));
      const errors = results.flatMap((result) => (result.ok ? [] : [result.error]));
      expect(errors).toEqual(bad.map(() => expect.any(Error)));
      const sent = results.flatMap((result) => (result.ok ? [result.id] : []));
      expect(sent).toHaveLength(bad.length);
      expect((await server.count(url)).visible).toBe(bad.length);
    });

    test("each message has options of its own, and results keep the order", async () => {
      const { url, publisher } = await arrange(server, "fifo");
      const { results } = await publisher.publishBatch(
        deepFreeze([
          { urn: URN, data: { n: 0 }, traceId: TRACE_ID, headers: { a: "1" }, messageGroupId: "g" },
          { urn: "urn:other", data: { n: 1 }, deduplicationId: "d", messageGroupId: "h" },
        ]),
      );
      const letters = [...(await server.letters(url)), ...(await server.letters(url))];
      const byGroup = Object.fromEntries(letters.map((letter) => [letter.group, letter]));
      const [first, second] = results;
      expect(byGroup["g"]).toMatchObject({
        attributes: { "bq-trace-id": text(TRACE_ID), a: text("1") },
        deduplicationId: first?.ok && first.id,
      });
      expect(byGroup["h"]).toMatchObject({
        attributes: {
          "bq-job": text("urn:other"),
          "bq-message-id": text(second?.ok ? second.id : ""),
        },
        deduplicationId: "d",
      });
    });
  });

  test("flush resolves when all that was given is sent", async () => {
    const { url, publisher } = await arrange(server, "standard", {
      batching: { lingerMs: 60_000 },
    });
    const publishes = [1, 2, 3].map((n) => publisher.publish(URN, { n }));
    await publisher.flush();
    expect(await server.count(url)).toMatchObject({ visible: 3 });
    await Promise.all(publishes);
    await publisher.flush();
  });
});

describe("on the strict fake", () => {
  test("emoji arrive in keys, values, headers and URN", async () => {
    const data = { "😀": "👩‍👩‍👧" };
    const options = { headers: { mood: "😀" } };
    const { envelope, headers } = await roundTrip(new FakeServer(), data, options);
    expect([envelope.data, headers]).toEqual([data, options.headers]);
  });

  test("a URN that no attribute may hold rides in the body alone", async () => {
    const server = new FakeServer();
    const { url, publisher, warnings } = await arrange(server);
    await publisher.publish("urn:\uFFFF", {});
    const { body, attributes } = await server.letter(url);
    expect(JSON.parse(body ?? "")).toMatchObject({ job: "urn:\uFFFF" });
    expect(Object.keys(attributes)).toHaveLength(5);
    expect(warnings).toMatchObject([{ code: "attribute_left_out", header: "bq-job" }]);
  });

  test("a group id goes to a standard queue too (fair queues), a deduplication id does not", async () => {
    const server = new FakeServer();
    const { url, publisher } = await arrange(server, "standard", { messageGroupId: "g" });
    await publisher.publish(URN, {}, { deduplicationId: "d" });
    await publisher.publish(URN, {}, { messageGroupId: "tenant" });
    expect(await server.letters(url)).toMatchObject([
      { group: "g", deduplicationId: undefined },
      { group: "tenant", deduplicationId: undefined },
    ]);
  });

  test("nothing that is refused reaches the network, and nothing is sent beyond what is set", async () => {
    const server = new FakeServer();
    const { url, publisher } = await arrange(server);
    server.fake.clearRequests();
    await rejection(publisher.publish("", {}));
    await rejection(publisher.publish(URN, { a: Number.NaN }));
    await rejection(publisher.publish(URN, {}, { delaySeconds: -1 }));
    await publisher.publishBatch([]);
    expect(server.fake.requests).toEqual([]);
    await publisher.publish(URN, {});
    expect(server.fake.requests).toMatchObject([{ operation: "SendMessage" }]);
    expect(Object.keys(server.fake.requests[0]?.input ?? {})).toEqual([
      "QueueUrl",
      "MessageBody",
      "MessageAttributes",
    ]);
    expect(server.fake.requests[0]?.input).toMatchObject({ QueueUrl: url });
  });

  test("an envelope is read at once: a later change of the data does not reach it", async () => {
    const server = new FakeServer();
    const { url, publisher } = await arrange(server, "standard", { batching: { lingerMs: 5 } });
    const data = { n: 1 };
    const publishing = publisher.publish(URN, data);
    data.n = 2;
    await publishing;
    expect(JSON.parse((await server.letter(url)).body ?? "")).toMatchObject({ data: { n: 1 } });
  });
});

function around(
  middleware: (next: Send, batch: readonly Outbound[]) => unknown,
): Promise<Arranged> {
  return arrange(new FakeServer(), "standard", {
    middleware: [(next) => (batch) => middleware(next, batch) as ReturnType<Send>],
  });
}

describe("send middleware", () => {
  const log: string[] = [];
  const named =
    (name: string): SendMiddleware =>
    (next) =>
    async (batch) => {
      log.push(`${name} in ${batch.length}`);
      const results = await next(batch);
      log.push(`${name} out`);
      return results;
    };
  afterEach(() => {
    log.length = 0;
  });

  test("wraps one publish and one publishBatch each, the first outermost", async () => {
    const { publisher } = await arrange(new FakeServer(), "standard", {
      middleware: [named("a"), named("b")],
    });
    await publisher.publish(URN, {});
    await publisher.publishEnvelope(envelopeOf());
    await publisher.publishBatch([
      { urn: URN, data: {} },
      { urn: "", data: {} },
      { urn: URN, data: {} },
    ]);
    const expected = [1, 1, 2].flatMap((n) => [`a in ${n}`, `b in ${n}`, "b out", "a out"]);
    expect(log).toEqual(expected);
  });

  test("sees messages before they are encoded, and results after", async () => {
    const seen: Outbound[] = [];
    let results: unknown;
    const { publisher, url } = await around(async (next, batch) => {
      seen.push(...batch);
      const sent = await next(batch);
      results = sent;
      return sent;
    });
    await publisher.publish(URN, { a: 1n }, { traceId: TRACE_ID, headers: { h: "1" } });
    await rejection(publisher.publish(URN, { a: Number.NaN }, { traceId: " " }));
    expect(results).toMatchObject([{ ok: false, error: { code: "invalid_payload" } }]);
    expect(seen).toMatchObject([
      {
        envelope: { job: URN, trace_id: TRACE_ID, data: { a: 1n } },
        headers: { h: "1" },
        system: "aws.sqs",
        queue: nameOf(url),
        traceIdGiven: true,
        headerLimit: 4,
      },
      { traceIdGiven: false, headers: {} },
    ]);
    await publisher.publishEnvelope(envelopeOf());
    expect(seen[2]?.traceIdGiven).toBe(true);
    expect(results).toMatchObject([{ ok: true, messageId: expect.stringMatching(UUID) }]);
    const padded = { traceId: `\t${TRACE_ID} ` };
    await publisher.publish(URN, {}, padded);
    await publisher.publishBatch([
      { urn: URN, data: {}, ...padded },
      { urn: URN, data: {}, traceId: "\u00A0" },
      { urn: URN, data: {}, traceId: "\v\f" },
    ]);
    expect(seen.slice(3)).toMatchObject([
      { envelope: { trace_id: TRACE_ID }, traceIdGiven: true },
      { envelope: { trace_id: TRACE_ID }, traceIdGiven: true },
      { envelope: { trace_id: "\u00A0" }, traceIdGiven: true },
      { envelope: { trace_id: expect.stringMatching(UUID) }, traceIdGiven: false },
    ]);
  });

  test("may pass on spread copies with other headers and another trace_id", async () => {
    const server = new FakeServer();
    const { publisher, url } = await arrange(server, "fifo", {
      middleware: [
        (next) => (batch) =>
          next(
            batch.map((out) => ({
              ...out,
              envelope: { ...out.envelope, trace_id: TRACE_ID },
              headers: { ...out.headers, traceparent: "00" },
            })),
          ),
      ],
    });
    const id = await publisher.publish(URN, {}, { headers: { a: "1" }, messageGroupId: "g" });
    expect(await server.letter(url)).toMatchObject({
      group: "g",
      deduplicationId: id,
      attributes: { "bq-trace-id": text(TRACE_ID), a: text("1"), traceparent: text("00") },
    });
  });

  const BOOM = new Error("boom");
  const NO_ERROR = "boom" as unknown as Error;
  const blamesMiddleware = { code: "invalid_argument", argument: "middleware" };
  test.each<[string, (next: Send, batch: readonly Outbound[]) => unknown, object]>([
    [
      "throws",
      () => {
        throw BOOM;
      },
      BOOM,
    ],
    ["rejects", () => Promise.reject(BOOM), BOOM],
    ["rejects with a string", () => Promise.reject(NO_ERROR), { cause: "boom" }],
    ["returns nothing", () => undefined, blamesMiddleware],
    ["returns no array", () => ({ length: 1 }), blamesMiddleware],
    ["returns too few results", () => [], blamesMiddleware],
    [
      "returns too many results",
      async (next, batch) => [...(await next(batch)), { ok: true }],
      blamesMiddleware,
    ],
    ["returns holes", () => [undefined], blamesMiddleware],
    ["returns null", () => [null], blamesMiddleware],
    ["returns a failure without an error", () => [{ ok: false }], blamesMiddleware],
    [
      "drops what is the transport's own",
      (next, batch) =>
        next(
          batch.map(({ envelope, headers, system, queue, traceIdGiven }) => ({
            envelope,
            headers,
            system,
            queue,
            traceIdGiven,
          })),
        ),
      blamesMiddleware,
    ],
    [
      "makes the envelope invalid",
      (next, batch) => next(batch.map((out) => ({ ...out, envelope: null as never }))),
      { code: "invalid_envelope" },
    ],
  ])("that %s fails the messages and nothing else", async (_, middleware, expected) => {
    const { publisher } = await around(middleware);
    expect(await rejection(publisher.publish(URN, {}))).toMatchObject(expected);
    const { results } = await publisher.publishBatch([{ urn: URN, data: {} }]);
    expect(results).toMatchObject([{ ok: false, error: expected }]);
    expect(results[0]?.ok === false && results[0].error).toBeInstanceOf(Error);
    await publisher.flush();
  });

  test("runs in the caller's turn, before anything is awaited", () => {
    let ran = false;
    const publisher = new SqsPublisher(new FakeServer().client, "https://sqs/1/orders", {
      middleware: [
        () => async (batch) => {
          ran = true;
          return batch.map(() => ({ ok: true }));
        },
      ],
    });
    void publisher.publish(URN, {});
    expect(ran).toBe(true);
  });

  test("createEnvelope and publish make the same envelope", async () => {
    const seen: Envelope[] = [];
    const { publisher, url } = await around((next, batch) => {
      seen.push(...batch.map(({ envelope }) => envelope));
      return next(batch);
    });
    await publisher.publish(URN, { a: 1 }, { traceId: TRACE_ID });
    const meta = { id: expect.any(String), created_at: expect.any(Number) };
    const made = createEnvelope(URN, { a: 1 }, { queue: nameOf(url), traceId: TRACE_ID });
    expect(seen).toEqual([{ ...made, meta: { ...made.meta, ...meta } }]);
  });
});
