import { afterEach, describe, expect, test, vi } from "vitest";
import {
  bodyText,
  metaText,
  type Probe,
  probe,
  refusalOf,
  rejection,
  SIX,
  splicedCopy,
  TRACE_ID,
  text,
  URN,
  wrappedCopy,
} from "../contract.fixture.js";
import { MessageTooLargeError, type SqsConsumerOptions, SqsPublisher } from "../index.js";
import {
  type Attributes,
  FakeServer,
  type Kind,
  type Letter,
  nameOf,
  SERVERS,
  type Server,
} from "../servers.fixture.js";

const MAX_BYTES = 1_048_576;
const NOW = 1_790_000_000_000;

afterEach(() => {
  vi.useRealTimers();
});

function sizeOf(body: string, attributes: Attributes): number {
  const texts = Object.entries(attributes).flatMap(([name, { DataType, StringValue }]) => [
    name,
    DataType ?? "",
    StringValue ?? "",
  ]);
  return [body, ...texts].reduce((size, part) => size + Buffer.byteLength(part), 0);
}

describe.each(SERVERS)("published to $name", (server) => {
  describe.each<[string, Record<string, string>]>([
    ["no headers", {}],
    ["headers", { traceparent: "00-a-b-01", tenant: "日本é" }],
  ])("with %s", (_, headers) => {
    /** The most characters that fit into `data.text`. */
    async function arrange(): Promise<{ url: string; publisher: SqsPublisher; room: number }> {
      const url = await server.createQueue();
      const publisher = new SqsPublisher(server.client, url);
      await publisher.publish(URN, { text: "é" }, { headers });
      const { body = "", attributes } = await server.letter(url);
      return { url, publisher, room: MAX_BYTES - sizeOf(body, attributes) };
    }

    test("1 MiB with its attributes is taken", async () => {
      const { url, publisher, room } = await arrange();
      await publisher.publish(URN, { text: `é${"x".repeat(room)}` }, { headers });
      const data = { text: `é${"x".repeat(room)}` };
      const { results } = await publisher.publishBatch([
        { urn: URN, data, headers },
        { urn: URN, data: {} },
      ]);
      expect(results).toMatchObject([{ ok: true }, { ok: true }]);
      expect(await server.total(url)).toBe(4);
    });

    test("a byte more is refused before the network, with both sizes", async () => {
      const { url, publisher, room } = await arrange();
      const data = { text: `é${"x".repeat(room + 1)}` };
      const error = await rejection(publisher.publish(URN, data, { headers }));
      expect(error).toBeInstanceOf(MessageTooLargeError);
      const expected = { code: "message_too_large", size: MAX_BYTES + 1, limit: MAX_BYTES };
      expect(error).toMatchObject({
        ...expected,
        message: expect.stringMatching(/1048577.*1048576/),
      });
      const { results } = await publisher.publishBatch([
        { urn: URN, data, headers },
        { urn: URN, data: {} },
      ]);
      expect(results).toMatchObject([{ ok: false, error: expected }, { ok: true }]);
      expect(await server.total(url)).toBe(2);
    });

    test("bytes count, not characters", async () => {
      const { publisher, room } = await arrange();
      const fits = Math.floor(room / 3);
      await publisher.publish(URN, { text: `é${"日".repeat(fits)}` }, { headers });
      const data = { text: `é${"日".repeat(fits + 1)}` };
      expect(await rejection(publisher.publish(URN, data, { headers }))).toMatchObject({
        size: MAX_BYTES - room + 3 * (fits + 1),
      });
    });
  });
});

interface Copied extends Omit<Probe, "consumer"> {
  readonly copy: Letter;
  /** The name of the queue it came from. */
  readonly queue: string;
}

/** The copy in the dead-letter queue of a message. */
async function copyOf(
  server: Server,
  body: string | ((queue: string) => string),
  attributes: Attributes = {},
  options: SqsConsumerOptions = {},
  kind: Kind = "standard",
): Promise<Copied> {
  const url = await server.createQueue(kind);
  const deadLetterQueueUrl = await server.createQueue();
  await server.put(url, typeof body === "string" ? body : body(nameOf(url)), attributes);
  const probed = probe(server, url, {
    unknownUrnStrategy: "dead_letter",
    deadLetterQueueUrl,
    ...options,
  });
  await probed.poll();
  expect(await server.placeOf(url)).toBe("gone");
  return { ...probed, copy: await server.letter(deadLetterQueueUrl), queue: nameOf(url) };
}

function riders(...names: readonly string[]): Attributes {
  return Object.fromEntries(names.map((name) => [name, text(`of ${name}`)]));
}

/** Why a message is in the dead-letter queue, and where it came from. */
function marksOf(reason: string, queue: string): Attributes {
  return { "bq-dead-letter-reason": text(reason), "bq-original-queue": text(queue) };
}

/** Of the member `dead_letter` in a copy. */
function blockSize(queue: string): number {
  const block =
    `,"dead_letter":{"reason":"unknown_urn","error":null,"exception":null,` +
    `"failed_at":1234567890123,"original_queue":"${queue}","attempts":0,"lang":"node"}`;
  return block.length;
}

const LETTERS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const QUEUE_NAME_LENGTH = 43;
const REASON = { "bq-dead-letter-reason": text("poison") };
const REASON_SIZE = 21 + 6 + 6;
const UNKNOWN_REASON_SIZE = 21 + 6 + 11;
const ORIGIN_SIZE = 17 + 6 + QUEUE_NAME_LENGTH;

describe.each(SERVERS)("refused, or too large, on $name", (server) => {
  const contract = { "bq-job": text(URN), "bq-schema-version": text("1") };
  const large = { value: text("v".repeat(200)) };
  const LARGE_SIZE = sizeOf("", large);

  // what is received | bytes that it leaves free | what of it and of the two riders is in the copy
  test.each<[string, Attributes, number, string[]]>([
    [
      "room for both",
      contract,
      REASON_SIZE + ORIGIN_SIZE,
      ["bq-job", "bq-schema-version", "reason", "origin"],
    ],
    [
      "a byte too little for both",
      contract,
      REASON_SIZE + ORIGIN_SIZE - 1,
      ["bq-job", "bq-schema-version", "reason"],
    ],
    ["room for the reason", contract, REASON_SIZE, ["bq-job", "bq-schema-version", "reason"]],
    ["a byte too little for it", contract, REASON_SIZE - 1, ["bq-job", "bq-schema-version"]],
    ["no room at all", contract, 0, ["bq-job", "bq-schema-version"]],
    ["no attribute, no room", {}, 0, []],
    [
      "a rider gives way to both",
      { ...contract, ...large },
      0,
      ["bq-job", "bq-schema-version", "reason", "origin"],
    ],
    [
      "a rider stays where there is room",
      { ...contract, ...large },
      REASON_SIZE + ORIGIN_SIZE,
      ["bq-job", "bq-schema-version", "reason", "origin", "value"],
    ],
    [
      "a rider gives way whatever its name",
      { ...contract, 10000: text("v".repeat(200)) },
      0,
      ["bq-job", "bq-schema-version", "reason", "origin"],
    ],
    [
      "the later rider gives way",
      { ...large, traceparent: text("v".repeat(194)) },
      REASON_SIZE + ORIGIN_SIZE - 1,
      ["reason", "origin", "traceparent"],
    ],
  ])("near 1 MiB: %s", async (_, attributes, free, expected) => {
    expect(LARGE_SIZE).toBeGreaterThan(REASON_SIZE + ORIGIN_SIZE);
    const body = `{${"é".repeat(30)}`.padEnd(
      MAX_BYTES - sizeOf("é".repeat(30), attributes) + 30 - free,
      "[",
    );
    expect(sizeOf(body, attributes)).toBe(MAX_BYTES - free);
    const { copy, queue } = await copyOf(server, body, attributes);
    expect(queue).toHaveLength(QUEUE_NAME_LENGTH);
    expect(copy.body === body).toBe(true);
    const known: Attributes = {
      ...attributes,
      reason: REASON["bq-dead-letter-reason"],
      origin: text(queue),
    };
    const names: Record<string, string> = {
      reason: "bq-dead-letter-reason",
      origin: "bq-original-queue",
    };
    expect(copy.attributes).toEqual(
      Object.fromEntries(expected.map((name) => [names[name] ?? name, known[name]])),
    );
  });

  test.each<[string, Attributes, string[]]>([
    ["six and four", { ...SIX, ...riders("d", "c", "b", "a") }, [...Object.keys(SIX), "a", "b"]],
    [
      "six, and a trace",
      { ...SIX, ...riders("b", "a", "tracestate", "traceparent") },
      [...Object.keys(SIX), "traceparent", "tracestate"],
    ],
    ["ten riders", riders(...LETTERS, "j", "i"), LETTERS],
    ["eight", { ...SIX, ...riders("b", "a") }, [...Object.keys(SIX), "a", "b"]],
    [
      "ten, the two among them",
      { ...SIX, ...riders("a", "bq-original-queue", "b", "bq-dead-letter-reason") },
      [...Object.keys(SIX), "a", "b"],
    ],
  ])("of received attributes, %s: ten are in the copy", async (_, received, kept) => {
    const { copy, queue } = await copyOf(server, "{", received);
    expect(copy.attributes).toEqual({
      ...Object.fromEntries(kept.map((name) => [name, received[name]])),
      ...REASON,
      "bq-original-queue": text(queue),
    });
  });

  test.each<[string, Attributes, string[]]>([
    ["six and four", { ...SIX, ...riders("d", "c", "b", "a") }, [...Object.keys(SIX), "a"]],
    ["ten riders", riders(...LETTERS, "j", "i"), LETTERS.slice(0, 7)],
    [
      "ten, the three among them",
      {
        ...SIX,
        ...riders("bq-original-group", "a", "bq-original-queue", "bq-dead-letter-reason"),
      },
      [...Object.keys(SIX), "a"],
    ],
  ])("of attributes received from a FIFO queue, %s: the group takes a place", async (...row) => {
    const [, received, kept] = row;
    for (const body of ["{", bodyText({ data: "[]" })]) {
      const { copy, queue } = await copyOf(server, body, received, {}, "fifo");
      expect(copy.attributes).toEqual({
        ...Object.fromEntries(kept.map((name) => [name, received[name]])),
        ...marksOf("poison", queue),
        "bq-original-group": text("a-group"),
      });
    }
  });

  test("a group that a message from a standard queue brings along is a rider like any other", async () => {
    const received = riders("bq-original-group", "a");
    const { copy, queue } = await copyOf(server, "{", received);
    expect(copy.attributes).toEqual({ ...received, ...marksOf("poison", queue) });
  });

  test.each<[string, string, typeof splicedCopy]>([
    ["an object", bodyText({ data: '["x"]' }), splicedCopy],
    ["no JSON", '{"x"', wrappedCopy],
  ])("poison that is %s has its block up to 1 MiB, and is verbatim beyond", async (...row) => {
    const [, shell, toCopy] = row;
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    for (const kind of ["standard", "fifo"] as const) {
      for (const excess of [0, 1]) {
        const block = { queue: "", error: "", failedAt: NOW };
        const attributes = { ...SIX, ...riders("a") };
        let sent = "";
        // which names the length of a body that is no JSON, in as many digits
        const error = refusalOf(shell.padEnd(1_000_000));
        const { copy, queue } = await copyOf(
          server,
          (name) => {
            const marks: Attributes = {
              ...marksOf("poison", name),
              ...(kind === "fifo" && { "bq-original-group": text("a-group") }),
            };
            const size = sizeOf(toCopy(shell, { ...block, error, queue: name }), {
              ...attributes,
              ...marks,
            });
            sent = shell.replace('"x"', `"${"x".repeat(MAX_BYTES - size + 1 + excess)}"`);
            return sent;
          },
          attributes,
          {},
          kind,
        );
        const exact = refusalOf(sent);
        expect(exact).toHaveLength(error.length);
        const whole = toCopy(sent, { error: exact, queue, failedAt: NOW });
        expect(copy.body === (excess === 0 ? whole : sent)).toBe(true);
        expect(copy.attributes).toEqual({
          ...attributes,
          ...marksOf("poison", queue),
          ...(kind === "fifo" && { "bq-original-group": text("a-group") }),
        });
        expect(sizeOf(whole, copy.attributes)).toBe(MAX_BYTES + excess);
      }
    }
  });

  test("attributes of other types and odd contract attributes stay as they came", async () => {
    const received: Attributes = {
      "bq-job": text("not the job"),
      "bq-created-at": text("yesterday"),
      count: { DataType: "Number.int", StringValue: "007" },
      blob: { DataType: "Binary.png", BinaryValue: new Uint8Array([0, 255]) },
    };
    const { copy } = await copyOf(server, "{", received);
    expect(copy.attributes).toMatchObject(received);
  });

  test("an unknown URN's copy that would be too large with its block is verbatim", async () => {
    const shell = bodyText({ job: '"urn:unknown"', data: '{"a":""}' });
    const attributes = { ...SIX, ...riders("a") };
    const spare = MAX_BYTES - sizeOf(shell, attributes) - UNKNOWN_REASON_SIZE - ORIGIN_SIZE;
    const body = shell.replace('""', `"${"x".repeat(spare)}"`);
    const { copy, queue, reported } = await copyOf(server, body, attributes);
    expect(copy.body === body).toBe(true);
    expect(copy.attributes).toEqual({
      ...attributes,
      "bq-dead-letter-reason": text("unknown_urn"),
      "bq-original-queue": text(queue),
    });
    expect(reported).toEqual([]);
  });

  test("an unknown URN's copy of exactly 1 MiB has its block", async () => {
    const six = { ...SIX, "bq-job": text("urn:unknown") };
    const shell = bodyText({ job: '"urn:unknown"', data: '{"a":""}' });
    for (const excess of [0, 1]) {
      const { copy } = await copyOf(server, (queue) => {
        const marks = UNKNOWN_REASON_SIZE + ORIGIN_SIZE;
        const room = MAX_BYTES - sizeOf(shell, six) - blockSize(queue) - marks + excess;
        return shell.replace('""', `"${"x".repeat(room)}"`);
      });
      expect(copy.body?.includes('"dead_letter"')).toBe(excess === 0);
    }
  });
});

describe.each(SERVERS)("amended on $name", (server) => {
  test.each<[string, string, string]>([
    ["99.90", "99.90", "0"],
    ["a 64-bit integer", "9223372036854775807", "0"],
    ["200 digits", "9".repeat(200), "0"],
    ["-0", "-0", "0"],
    ["1e400", "1e400", "0"],
    ["1E+2", "1E+2", "0"],
    ["17 digits", "0.12345678901234567", "0"],
    ["escapes", '"\\u00e9\\/\\ud800\\uffff é"', "0"],
    ["duplicate keys", '1,"price":2', "0"],
    ["__proto__", '{"__proto__":1}', "0"],
    ["white space", " [ 1 ,\t2\r\n] ", "0"],
    ["attempts 1.0", "1", "1.0"],
    ["attempts twice", "1", '7,"attempts":2'],
  ])("every byte of %s is kept", async (_, price, attempts) => {
    const job = '"urn:unknown"';
    const data = `{"price":${price}}`;
    const body = bodyText({ job, data, meta: metaText({ big: price }), attempts, more: price });
    const { copy } = await copyOf(server, body);
    const count = String(Number(attempts.split(":").at(-1)));
    const amended = attempts.includes(",") ? `${count},"attempts":${count}` : count;
    expect(copy.body?.replace(/,"dead_letter":\{[^{}]*\}/, "")).toBe(
      bodyText({ job, data, meta: metaText({ big: price }), attempts: amended, more: price }),
    );
  });

  test("keys that no envelope may hold are gone, and an older block replaced", async () => {
    const job = '"urn:unknown"';
    const meta = metaText({ ts: "1", source: "1", max_retries: "1", attempts: "9" });
    const body = bodyText({ job, timestamp: "1", meta, dead_letter: '{"reason":"failed"}' });
    const { copy, warnings } = await copyOf(server, body);
    expect(copy.body).toMatch(
      `${bodyText({ job }).slice(0, -1)},"dead_letter":{"reason":"unknown_urn"`,
    );
    expect(JSON.parse(copy.body ?? "")).not.toHaveProperty("timestamp");
    const meta4 = ["/meta/attempts", "/meta/max_retries", "/meta/source", "/meta/ts"];
    expect(new Set(warnings.map(({ pointer }) => pointer))).toEqual(
      new Set([...meta4, "/timestamp"]),
    );
    expect(warnings).toHaveLength(5);
  });

  test.each<[string, string, string, string]>([
    ["alone", '{"urn" : " urn:unknown ",', '{"job" : " urn:unknown ",', " urn:unknown "],
    [
      "behind a blank job",
      '{"job":" ","urn":"urn:unknown",',
      '{"job":"urn:unknown",',
      "urn:unknown",
    ],
    [
      "before a job of another type",
      '{"urn":"urn:unknown","job":7,',
      '{"job":"urn:unknown",',
      "urn:unknown",
    ],
    ["beside a job", '{"job":"\u00a0x ","urn":"u",', '{"job":"\u00a0x ",', "\u00a0x "],
  ])("of an alias urn %s the copy has a job, as it came", async (_, head, copied, job) => {
    const rest = bodyText({ job: undefined }).slice(1);
    const { copy, queue } = await copyOf(server, head + rest);
    const amended = copied + rest.slice(0, -1);
    expect(copy.body?.slice(0, amended.length)).toBe(amended);
    expect(copy.body?.slice(amended.length)).toMatch(
      /^,"dead_letter":\{"reason":"unknown_urn",[^{}]*\}\}$/,
    );
    expect(copy.attributes).toEqual({
      ...SIX,
      "bq-job": text(job),
      ...marksOf("unknown_urn", queue),
    });
  });

  test.each<[Kind, string[], string[]]>([
    ["standard", ["d", "c", "b", "a"], ["a", "b"]],
    ["standard", ["tracestate", "b", "traceparent"], ["traceparent", "tracestate"]],
    ["fifo", ["d", "c", "b", "a"], ["a"]],
    ["fifo", ["tracestate", "b", "traceparent"], ["traceparent"]],
    ["fifo", ["bq-dead-letter-reason", "bq-original-group", "a", "bq-original-queue"], ["a"]],
  ])("from a %s queue with the riders %j, ten attributes are in the copy", async (...row) => {
    const [kind, received, kept] = row;
    const job = '"urn:unknown"';
    const attributes = { ...SIX, ...riders(...received) };
    const { copy, queue, warnings } = await copyOf(server, bodyText({ job }), attributes, {}, kind);
    expect(copy.attributes).toEqual({
      ...SIX,
      "bq-job": text("urn:unknown"),
      ...marksOf("unknown_urn", queue),
      ...(kind === "fifo" && { "bq-original-group": text("a-group") }),
      ...riders(...kept),
    });
    expect(Object.keys(copy.attributes)).toHaveLength(10);
    const left = received.filter((name) => !kept.includes(name) && !name.startsWith("bq-"));
    expect(warnings.map(({ code, header }) => `${code} ${header}`).sort()).toEqual(
      left.sort().map((name) => `header_left_out ${name}`),
    );
  });

  test("the six are the envelope's, whatever was received", async () => {
    const received = { "bq-job": text("other"), "bq-created-at": text("x"), tenant: text("acme") };
    const { copy, queue } = await copyOf(server, bodyText({ job: '"urn:unknown"' }), received);
    expect(copy.attributes).toEqual({
      ...SIX,
      "bq-job": text("urn:unknown"),
      ...marksOf("unknown_urn", queue),
      tenant: text("acme"),
    });
  });

  test.each<[string, Record<string, string | undefined>, string[]]>([
    ["lang is blank", { lang: '""' }, ["bq-source-lang"]],
    ["lang is a control character", { lang: '"\\u0000"' }, ["bq-source-lang"]],
    ["lang is a lone surrogate", { lang: '"\\ud800"' }, ["bq-source-lang"]],
    ["lang is U+FFFF", { lang: '"\\uffff"' }, ["bq-source-lang"]],
    ["lang is an object", { lang: '{"a":1}' }, ["bq-source-lang"]],
    ["lang is missing", { lang: undefined }, ["bq-source-lang"]],
    [
      "id is missing, created_at text",
      { id: undefined, created_at: '"x"' },
      ["bq-message-id", "bq-created-at"],
    ],
    ["created_at is 1e400", { created_at: "1e400" }, ["bq-created-at"]],
    ["created_at has 39 digits", { created_at: "1".repeat(39) }, ["bq-created-at"]],
    [
      "created_at is text of 39 digits",
      { created_at: `"${"1".repeat(30)}.${"1".repeat(9)}"` },
      ["bq-created-at"],
    ],
  ])("where meta.%s, the attribute is left out with a warning", async (_, changes, missing) => {
    const body = bodyText({ job: '"urn:unknown"', meta: metaText(changes) });
    const { copy, warnings } = await copyOf(server, body);
    const names = Object.keys(SIX).filter((name) => !missing.includes(name));
    const marks = ["bq-dead-letter-reason", "bq-original-queue"];
    expect(Object.keys(copy.attributes).sort()).toEqual([...names, ...marks].sort());
    expect(copy.body).toContain(metaText(changes));
    expect(warnings.map(({ code, header }) => [code, header])).toEqual(
      missing.map((name) => ["attribute_left_out", name]),
    );
  });

  // docs/wire-contract.md §4: "the six attributes, then the received riders"
  test("riders of other types come along as they came", async () => {
    const received: Attributes = {
      count: { DataType: "Number", StringValue: "7" },
      blob: { DataType: "Binary", BinaryValue: new Uint8Array([0, 255]) },
    };
    const { copy } = await copyOf(server, bodyText({ job: '"urn:unknown"' }), received);
    expect(copy.attributes).toMatchObject(received);
  });

  test("attempts are the reconciled count, in the envelope and in the block", async () => {
    const body = bodyText({ job: '"urn:unknown"', attempts: "5" });
    const { copy } = await copyOf(server, body);
    expect(JSON.parse(copy.body ?? "")).toMatchObject({
      attempts: 5,
      dead_letter: { attempts: 5 },
      trace_id: TRACE_ID,
    });
  });
});

test("a copy that SQS might refuse is taken by the strict fake too", async () => {
  const emoji = bodyText({
    job: '"urn:😀"',
    data: '{"😀":"👩‍👩‍👧"}',
    meta: metaText({ lang: '"😀"' }),
  });
  const { copy } = await copyOf(new FakeServer(), emoji, { mood: text("😀") });
  expect(copy.attributes).toMatchObject({
    "bq-job": text("urn:😀"),
    "bq-source-lang": text("😀"),
    mood: text("😀"),
  });
  expect(copy.body).toContain('{"😀":"👩‍👩‍👧"}');
});
