import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "@aws-sdk/client-sqs";
import { type ConsumeMiddleware, type Envelope, UrnRouter } from "@babelqueue/core";
import { throttled } from "fake-sqs";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  bodyText,
  envelopeOf,
  messageOf,
  metaText,
  observe,
  probe,
  SIX,
  splicedCopy,
  text,
  URN,
  wrappedCopy,
} from "../contract.fixture.js";
import { SqsConsumer, type SqsConsumerOptions, SqsDeleteError, SqsReleaseError } from "../index.js";
import { FakeServer, nameOf, passSeconds, SERVERS, tampering } from "../servers.fixture.js";

const FAILURE = new Error("no stock");
const NOW = 1_790_000_000_000;

afterEach(() => {
  vi.useRealTimers();
});

const NOTHING = undefined as unknown as Error;
const boom = (): never => {
  throw new Error("5ecret of a hook");
};
const rejecting = (): Promise<never> => Promise.reject(new Error("5ecret of a hook"));

const deadLettering: ConsumeMiddleware<Message> =
  () =>
  async ({ envelope, delivery: { body } }) => ({
    kind: "dead-letter",
    reason: "failed",
    envelope,
    body,
  });

const nested = (depth: number): string => `${'{"d":'.repeat(depth)}{}${"}".repeat(depth)}`;

/** How a copy holds the body: with a block among its members, as text beside one, or as it came. */
type Copied = "spliced" | "wrapped" | "verbatim";

/** Why a body is refused (issue 2, "Bodies"). */
const REFUSED: [string, string, string, Copied][] = [
  ["null", "null", "not_an_object", "wrapped"],
  ["an array", "[]", "not_an_object", "wrapped"],
  ["a string", '"x"', "not_an_object", "wrapped"],
  ["a number", "1", "not_an_object", "wrapped"],
  ["an empty object", "{}", "invalid_urn", "spliced"],
  ["white space", " \n", "not_json", "wrapped"],
  ["truncated JSON", bodyText().slice(0, -1), "not_json", "wrapped"],
  ["two documents", bodyText() + bodyText(), "not_json", "wrapped"],
  ["1 MiB of [", "[".repeat(1_048_576), "not_json", "verbatim"],
  ["a BOM first", `\uFEFF${bodyText()}`, "not_json", "wrapped"],
  ["job a number", bodyText({ job: "7" }), "invalid_urn", "spliced"],
  ["job blank", bodyText({ job: '" "' }), "invalid_urn", "spliced"],
  ["job and urn blank", bodyText({ job: '""', urn: '" "' }), "invalid_urn", "spliced"],
  ["urn a number", bodyText({ job: undefined, urn: "7" }), "invalid_urn", "spliced"],
  ["trace_id blank", bodyText({ trace_id: '" "' }), "invalid_trace_id", "spliced"],
  ["trace_id missing", bodyText({ trace_id: undefined }), "invalid_trace_id", "spliced"],
  ["data an array", bodyText({ data: "[]" }), "invalid_data", "spliced"],
  ["data null", bodyText({ data: "null" }), "invalid_data", "spliced"],
  ["data missing", bodyText({ data: undefined }), "invalid_data", "spliced"],
  ["data an array last", bodyText({ data: '{},"data":[]' }), "invalid_data", "spliced"],
  ["meta an array", bodyText({ meta: "[]" }), "invalid_meta", "spliced"],
  ["meta missing", bodyText({ meta: undefined }), "invalid_meta", "spliced"],
  ...['"1"', "true", "2", "null", "1e400", undefined].map(
    (version): [string, string, string, Copied] => [
      `schema_version ${version}`,
      bodyText({ meta: metaText({ schema_version: version }) }),
      "unsupported_schema_version",
      "spliced",
    ],
  ),
  ...["1.5", "-1.5", '"1"', "1e400", "true", "[0]"].map(
    (attempts): [string, string, string, Copied] => [
      `attempts ${attempts}`,
      bodyText({ attempts }),
      "invalid_attempts",
      "spliced",
    ],
  ),
  ["a block of its own", bodyText({ data: "[]", dead_letter: "null" }), "invalid_data", "wrapped"],
  ["a lone surrogate", bodyText({ data: '["\\ud800"]' }), "invalid_data", "wrapped"],
];

/** What a handler sees of a body that is odd, and what a warning points at. */
const TAKEN: [string, string, object, string[]?][] = [
  ["white space around", ` ${bodyText()}\n`, {}],
  ["schema_version 1.0", bodyText({ meta: metaText({ schema_version: "1.0" }) }), {}],
  ["attempts 2.0", bodyText({ attempts: "2.0" }), { attempts: 2 }],
  ["attempts twice", bodyText({ attempts: '"x","attempts":3' }), { attempts: 3 }],
  ["attempts missing", bodyText({ attempts: undefined }), { attempts: 0 }, ["/attempts"]],
  ["attempts null", bodyText({ attempts: "null" }), { attempts: 0 }, ["/attempts"]],
  ["attempts -1", bodyText({ attempts: "-1" }), { attempts: 0 }, ["/attempts"]],
  ...["9007199254740992", "1e300"].map((attempts): [string, string, object, string[]] => [
    `attempts ${attempts}`,
    bodyText({ attempts }),
    { attempts: Number.MAX_SAFE_INTEGER },
    ["/attempts"],
  ]),
  ["white space around job", bodyText({ job: `" ${URN}\\t"` }), { job: ` ${URN}\t` }],
  ["job blank with an alias", bodyText({ job: '" "', urn: `" ${URN} "` }), { job: ` ${URN} ` }],
  ["job a number with an alias", bodyText({ job: "7", urn: `"${URN}"` }), {}, ["/job"]],
  ["job and another urn", bodyText({ urn: '"urn:other"' }), {}, ["/urn"]],
  ["duplicate keys in data", bodyText({ data: '{"a":1,"a":2}' }), { data: { a: 2 } }],
  ["no id", bodyText({ meta: metaText({ id: undefined }) }), {}],
  ["a lone surrogate", bodyText({ data: '{"a":"\\ud800"}' }), { data: { a: "\uD800" } }],
  ["U+FFFF", bodyText({ data: '{"\\uffff":1}' }), { data: { "\uFFFF": 1 } }],
  ["2^53+1", bodyText({ data: '{"a":9007199254740993}' }), { data: { a: 9007199254740993n } }],
  ["2^53-1", bodyText({ data: '{"a":9007199254740991}' }), { data: { a: 9007199254740991 } }],
  [
    "200 digits",
    bodyText({ data: `{"a":${"9".repeat(200)}}` }),
    { data: { a: BigInt("9".repeat(200)) } },
  ],
  ["1e21 and 99.90", bodyText({ data: '{"a":1e21,"b":99.90}' }), { data: { a: 1e21, b: 99.9 } }],
  ["-0", bodyText({ data: '{"a":-0}' }), { data: { a: -0 } }],
  [
    "constructor as a key",
    bodyText({ data: '{"constructor":1}', meta: metaText({ constructor: "1" }) }),
    { data: { constructor: 1 } },
  ],
];

describe.each(SERVERS)("$name", (server) => {
  test.each(REFUSED)(
    "the body %s is poison, to the DLQ with a block",
    async (_, body, reason, copied) => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOW });
      const url = await server.createQueue();
      const deadLetterQueueUrl = await server.createQueue();
      await server.put(url, body);
      const { poll, handled, reported } = probe(server, url, { deadLetterQueueUrl });
      expect(await poll()).toBe(1);
      expect(handled).toEqual([]);
      expect(reported).toMatchObject([[{ code: "invalid_envelope", reason }, null, {}]]);
      const block = {
        error: messageOf(reported[0]?.[0]),
        queue: nameOf(url),
        failedAt: NOW,
      };
      const copies = {
        spliced: () => splicedCopy(body, block),
        wrapped: () => wrappedCopy(body, block),
        verbatim: () => body,
      };
      const letter = await server.letter(deadLetterQueueUrl);
      expect(letter.body === copies[copied]()).toBe(true);
      const marks = {
        "bq-dead-letter-reason": text("poison"),
        "bq-original-queue": text(nameOf(url)),
      };
      // a body of 1 MiB leaves room for none
      expect(letter.attributes).toEqual(copied === "verbatim" ? {} : marks);
      expect(await server.placeOf(url)).toBe("gone");
    },
  );

  test.each(TAKEN)("the body with %s is handled", async (_, body, changes, pointers = []) => {
    const url = await server.createQueue();
    await server.put(url, body);
    const { poll, handled, reported, warnings } = probe(server, url);
    await poll();
    expect(reported).toEqual([]);
    expect(handled).toMatchObject([{ envelope: { job: URN, ...changes } }]);
    expect(handled[0]?.envelope).not.toHaveProperty("urn");
    expect(warnings.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test("__proto__ is a key like any other", async () => {
    const url = await server.createQueue();
    const own = '{"__proto__":{"polluted":1}}';
    await server.put(url, bodyText({ data: own, meta: metaText({ ["__proto__"]: "{}" }) }));
    const { poll, handled } = probe(server, url);
    await poll();
    expect(JSON.stringify(handled[0]?.envelope.data)).toBe(own);
    expect(Object.keys(handled[0]?.envelope.meta ?? {})).toContain("__proto__");
    expect({}).not.toHaveProperty("polluted");
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "the URN %s has no handler unless one is registered",
    async (urn) => {
      const url = await server.createQueue();
      await server.put(url, bodyText({ job: `"${urn}"` }));
      const { poll, reported } = probe(server, url);
      await poll();
      expect(reported).toMatchObject([[{ code: "unknown_urn", urn }, { job: urn }, {}]]);
    },
  );

  test("data 10 000 levels deep stops nothing", async () => {
    const url = await server.createQueue();
    const deadLetterQueueUrl = await server.createQueue();
    await server.put(url, bodyText({ data: nested(10_000) }));
    await server.put(url, bodyText({ job: '"urn:unknown"', data: nested(10_000) }));
    await server.put(url, bodyText());
    const { poll } = probe(server, url, { deadLetterQueueUrl, unknownUrnStrategy: "dead_letter" });
    while ((await poll()) > 0);
    expect(await server.total(url)).toBe(0);
  });

  /** The AWS SDK hands out such an attribute without its value. */
  test("a message attribute named __proto__ stops nothing", async () => {
    const url = await server.createQueue();
    const deadLetterQueueUrl = await server.createQueue();
    const attributes = JSON.parse(
      '{"__proto__":{"DataType":"String","StringValue":"1"},"a":{"DataType":"String","StringValue":"2"}}',
    ) as Record<string, { DataType: string; StringValue: string }>;
    const bodies = [bodyText(), "{", bodyText({ job: '"urn:unknown"' })];
    for (const body of bodies) await server.put(url, body, attributes);
    await server.put(url, bodyText());
    const { consumer, handled, reported } = probe(server, url, {
      deadLetterQueueUrl,
      unknownUrnStrategy: "dead_letter",
      shutdownTimeoutMs: 0,
    });
    const { unhandled } = await observe(async () => {
      const running = consumer.run();
      for (let n = 0; n < 50 && (await server.total(url)) > 0; n += 1) await sleep(20);
      await consumer.stop();
      await running;
    });
    expect(unhandled).toEqual([]);
    expect(reported).toMatchObject([[{ code: "invalid_envelope" }, null, {}]]);
    expect(handled).toHaveLength(2);
    expect(handled.map(({ headers }) => headers["a"])).toEqual(["2", undefined]);
    expect(await server.letters(deadLetterQueueUrl)).toMatchObject([
      { attributes: { a: text("2") } },
      { attributes: { a: text("2") } },
    ]);
    expect(await server.total(url)).toBe(0);
  });

  test("poll resolves with the number of messages, at most maxMessages", async () => {
    const url = await server.createQueue();
    for (let n = 0; n < 5; n += 1) await server.put(url, bodyText());
    const { poll } = probe(server, url, { maxMessages: 3 });
    expect([await poll(), await poll(), await poll()]).toEqual([3, 2, 0]);
  });

  test("poll with an aborted signal brings nothing, and takes nothing", async () => {
    const url = await server.createQueue();
    await server.put(url, bodyText());
    const { consumer } = probe(server, url);
    expect(await consumer.poll(AbortSignal.abort())).toBe(0);
    expect(await server.placeOf(url)).toBe("visible");
  });

  test("a message is taken at its word about attempts, or the broker, whoever says more", async () => {
    const url = await server.createQueue("standard", { VisibilityTimeout: "0" });
    await server.put(url, bodyText({ attempts: "2" }));
    const { poll, handled } = probe(server, url, {}, () => Promise.reject(FAILURE));
    for (let n = 0; n < 5; n += 1) await poll();
    expect(handled.map(({ envelope }) => envelope.attempts)).toEqual([2, 2, 2, 3, 4]);
  });

  test("largeIntegers: number rounds what a handler sees", async () => {
    const url = await server.createQueue();
    await server.put(url, bodyText({ data: '{"a":9007199254740993}' }));
    const { poll, handled } = probe(server, url, { largeIntegers: "number" });
    await poll();
    expect(handled[0]?.envelope.data).toEqual({ a: 9007199254740992 });
  });

  test("dropped keys are told to onWarning", async () => {
    const url = await server.createQueue();
    await server.put(url, bodyText({ timestamp: "1", meta: metaText({ ts: "1" }) }));
    const { poll, handled, warnings } = probe(server, url);
    await poll();
    expect(warnings.map(({ pointer }) => pointer)).toEqual(["/timestamp", "/meta/ts"]);
    expect(handled).toMatchObject([{ envelope: envelopeOf() }]);
  });

  test.each([
    ["a router", new UrnRouter<Message>().on(URN, () => undefined)],
    ["a record", { [URN]: () => undefined }],
    ["any Routes", { handlerFor: () => () => undefined }],
  ])("handlers may be %s", async (_, handlers) => {
    const url = await server.createQueue();
    await server.put(url, bodyText());
    const consumer = new SqsConsumer(server.client, url, handlers, { waitTimeSeconds: 0 });
    await consumer.poll();
    expect(await server.placeOf(url)).toBe("gone");
  });

  test("middleware wraps what was received, the first outermost, refused messages too", async () => {
    const log: unknown[] = [];
    const named =
      (name: string): ConsumeMiddleware<Message> =>
      (next) =>
      async (received) => {
        log.push([name, received.envelope?.job ?? null, received.refusal?.code ?? null]);
        const outcome = await next(received);
        log.push([name, outcome.kind]);
        return outcome;
      };
    const url = await server.createQueue();
    await server.put(url, bodyText());
    const { poll } = probe(server, url, { middleware: [named("a"), named("b")] });
    await poll();
    await server.put(url, "{");
    await poll();
    expect(log).toEqual([
      ...[
        ["a", URN, null],
        ["b", URN, null],
        ["b", "ack"],
        ["a", "ack"],
      ],
      ...["a", "b"].map((name) => [name, null, "invalid_envelope"]),
      ...[
        ["b", "leave"],
        ["a", "leave"],
      ],
    ]);
  });

  test.each([true, false])("middleware may dead-letter; a DLQ is set: %s", async (isSet) => {
    const url = await server.createQueue();
    const deadLetterQueueUrl = await server.createQueue();
    await server.put(url, bodyText(), SIX);
    const { poll, consumer } = probe(server, url, {
      middleware: [deadLettering],
      deadLetterQueueUrl: isSet ? deadLetterQueueUrl : undefined,
    });
    await poll();
    expect(await server.placeOf(url)).toBe(isSet ? "gone" : "hidden");
    expect(await server.letters(deadLetterQueueUrl)).toMatchObject(
      isSet ? [{ body: bodyText(), attributes: SIX }] : [],
    );
    expect(consumer.stats()).toMatchObject({ deadLettered: isSet ? 1 : 0, left: isSet ? 0 : 1 });
  });

  test.each<[string, ConsumeMiddleware<Message>, unknown]>([
    [
      "throws",
      () => () => {
        throw FAILURE;
      },
      FAILURE,
    ],
    ["rejects", () => () => Promise.reject(FAILURE), FAILURE],
    [
      "returns nothing",
      () => async () => undefined as never,
      expect.objectContaining({ argument: "middleware" }),
    ],
  ])("middleware that %s: reported, the message is left", async (_, middleware, error) => {
    const url = await server.createQueue();
    await server.put(url, bodyText());
    const { poll, reported } = probe(server, url, { middleware: [middleware] });
    await poll();
    expect(reported).toEqual([
      [error, envelopeOf(), expect.objectContaining({ Body: bodyText() })],
    ]);
    expect(await server.placeOf(url)).toBe("hidden");
  });

  describe("hooks that fail", () => {
    test.each([
      ["throw", boom],
      ["reject", rejecting],
    ])(
      "and %s: the loop goes on, nothing is unhandled, nothing personal is shown",
      async (_, fail) => {
        const url = await server.createQueue();
        const handled: unknown[] = [];
        const bodies = [
          "{",
          bodyText({ job: '"urn:unknown"' }),
          bodyText({ timestamp: "1" }),
          bodyText({ job: '"urn:throws"' }),
          bodyText({ job: '"urn:throws:undefined"' }),
        ];
        for (const body of bodies) await server.put(url, body);
        const handlers = {
          [URN]: (envelope: Envelope) => handled.push(envelope.attempts),
          "urn:throws": boom,
          "urn:throws:undefined": () => Promise.reject(NOTHING),
        };
        const options: SqsConsumerOptions = {
          waitTimeSeconds: 0,
          settleLingerMs: 0,
          onError: fail,
          onWarning: fail,
          onUnknownUrn: fail,
          releaseDelaySeconds: () => 600,
        };
        const consumer = new SqsConsumer(server.client, url, handlers, options);
        const { warnings, unhandled } = await observe(async () => {
          const running = consumer.run();
          await vi.waitFor(() => expect(handled).toHaveLength(1));
          await server.put(url, bodyText());
          await vi.waitFor(() => expect(handled).toHaveLength(2), { timeout: 5000 });
          await consumer.stop();
          await running;
        });
        expect(unhandled).toEqual([]);
        const codes = new Set(warnings.map(({ code }) => code));
        expect(codes).toEqual(new Set(["hook_failed", "invalid_envelope", "handler_failed"]));
        expect(JSON.stringify(warnings.map(({ message }) => message))).not.toContain("5ecret");
        expect(consumer.stats()).toMatchObject({ received: 6, handled: 2, released: 2, left: 2 });
      },
    );

    test("or are missing become process warnings", async () => {
      const url = await server.createQueue();
      for (const body of ["{", bodyText({ timestamp: "1" })]) await server.put(url, body);
      const consumer = new SqsConsumer(
        server.client,
        url,
        { [URN]: () => Promise.reject(new Error("5ecret")) },
        { waitTimeSeconds: 0, settleLingerMs: 0 },
      );
      const { warnings, unhandled } = await observe(async () => consumer.poll());
      expect(unhandled).toEqual([]);
      expect(new Set(warnings.map(({ code }) => code))).toEqual(
        new Set(["dropped_key", "handler_failed", "invalid_envelope"]),
      );
      expect(warnings).toHaveLength(3);
      expect(warnings.map(({ message }) => message).join()).not.toContain("5ecret");
    });
  });

  test("the loop goes on over every kind of bad message", async () => {
    const url = await server.createQueue();
    const small = REFUSED.filter(([, body]) => body.length < 10_000);
    for (const [, body] of small) await server.put(url, body);
    await server.put(url, bodyText({ job: '"urn:unknown"' }));
    const { consumer, handled, reported } = probe(server, url);
    const running = consumer.run();
    await server.put(url, bodyText());
    await vi.waitFor(() => expect(handled).toHaveLength(1), { timeout: 5000 });
    await vi.waitFor(() => expect(reported).toHaveLength(small.length + 1), { timeout: 5000 });
    await consumer.stop();
    await running;
    expect(await server.count(url)).toEqual({ visible: 0, hidden: small.length + 1 });
  });

  test("stats count what became of messages", async () => {
    const url = await server.createQueue();
    const deadLetterQueueUrl = await server.createQueue();
    const before = Date.now();
    const { consumer, poll } = probe(
      server,
      url,
      { deadLetterQueueUrl, unknownUrnStrategy: "delete", releaseDelaySeconds: 600 },
      ({ attempts }) => (attempts === 7 ? Promise.reject(FAILURE) : undefined),
    );
    expect(consumer.stats()).toMatchObject({ received: 0, lastReceiveAt: undefined });
    for (const body of [bodyText(), bodyText({ attempts: "7" }), bodyText({ job: '"urn:x"' })]) {
      await server.put(url, body);
    }
    while ((await poll()) > 0);
    const stats = consumer.stats();
    expect(stats).toEqual({
      received: 3,
      handled: 1,
      released: 1,
      left: 0,
      deadLettered: 0,
      dropped: 1,
      failedDeletes: 0,
      inFlight: 0,
      lastReceiveAt: expect.any(Number),
    });
    expect(stats.lastReceiveAt).toBeGreaterThanOrEqual(before);
  });
});

function without(key: keyof Message): (message: Message) => Message {
  return (message) => {
    const copy = { ...message };
    delete copy[key];
    return copy;
  };
}

describe("a message from a sloppy client", () => {
  test.each<[string, (message: Message) => Message, string]>([
    ["no Attributes", without("Attributes"), "handled"],
    ["no MessageAttributes", without("MessageAttributes"), "handled"],
    ["no MessageId", without("MessageId"), "handled"],
    [
      "null for both",
      (message) => ({ ...message, Attributes: null as never, MessageAttributes: null as never }),
      "handled",
    ],
    [
      "a schema version without a value",
      (message) => ({
        ...message,
        MessageAttributes: { "bq-schema-version": { DataType: "Number" } },
      }),
      "handled",
    ],
    [
      "a schema version that is binary",
      (message) => ({
        ...message,
        MessageAttributes: {
          "bq-schema-version": { DataType: "Binary", BinaryValue: new Uint8Array([50]) },
        },
      }),
      "handled",
    ],
    [
      "an empty schema version",
      (message) => ({ ...message, MessageAttributes: { "bq-schema-version": text("") } }),
      "handled",
    ],
    [
      "a schema version of VT and FF",
      (message) => ({ ...message, MessageAttributes: { "bq-schema-version": text("\v\f") } }),
      "handled",
    ],
    [
      "a schema version with NUL",
      (message) => ({ ...message, MessageAttributes: { "bq-schema-version": text("1\0") } }),
      "gated",
    ],
    [
      "an attribute without a value",
      (message) => ({ ...message, MessageAttributes: { a: undefined as never, b: null as never } }),
      "handled",
    ],
    ["no Body", without("Body"), "poison"],
    ["an empty Body", (message) => ({ ...message, Body: "" }), "poison"],
    [
      "invalid UTF-16",
      (message) => ({ ...message, Body: bodyText({ data: '{"a":"\uD800"}' }) }),
      "handled",
    ],
  ])("with %s", async (_, change, end) => {
    const server = new FakeServer();
    const url = await server.createQueue();
    await server.put(url, bodyText(), SIX);
    const client = tampering(server.client, change);
    const { poll, handled, reported } = probe({ client }, url);
    expect(await poll()).toBe(1);
    expect(handled).toHaveLength(end === "handled" ? 1 : 0);
    const codes = { poison: ["invalid_envelope"], gated: ["unsupported_schema_version"] };
    expect(reported.map(([error]) => (error as { code?: string }).code)).toEqual(
      end === "handled" ? [] : codes[end as keyof typeof codes],
    );
  });

  test.each<[string, (message: Message) => Message]>([
    ["no Body", without("Body")],
    ["an empty Body", (message) => ({ ...message, Body: "" })],
  ])("with %s is copied into the dead-letter queue as an empty text", async (_, change) => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    const server = new FakeServer();
    const url = await server.createQueue();
    const deadLetterQueueUrl = await server.createQueue();
    await server.put(url, bodyText());
    const client = tampering(server.client, change);
    const { poll, reported } = probe({ client }, url, { deadLetterQueueUrl });
    await poll();
    const error = messageOf(reported[0]?.[0]);
    const block = { error, queue: nameOf(url), failedAt: NOW };
    expect((await server.letter(deadLetterQueueUrl)).body).toBe(wrappedCopy("", block));
    expect(await server.placeOf(url)).toBe("gone");
  });

  test("that SQS would not take as a copy: the loop goes on, the original stays", async () => {
    const server = new FakeServer();
    const url = await server.createQueue();
    await server.put(url, "{");
    const client = tampering(server.client, (message) => ({
      ...message,
      MessageAttributes: { "not a name": text("x") },
    }));
    const { poll, reported } = probe({ client }, url, {
      deadLetterQueueUrl: await server.createQueue(),
    });
    await poll();
    expect(reported.map(([error]) => (error as Error).name)).toEqual([
      "InvalidEnvelopeError",
      "SqsDeadLetterError",
    ]);
    expect(await server.placeOf(url)).toBe("hidden");
  });

  // body's attempts | ApproximateReceiveCount | what the handler sees
  test.each([
    ["0", "1", 0],
    ["0", "4", 3],
    ["5", "4", 5],
    ["5", "7", 6],
    ["3", undefined, 3],
    ["3", "", 3],
    ["3", "0", 3],
    ["3", "-9", 3],
    ["3", "9x", 3],
    ["3", "9.5", 3],
    ["3", " 9", 3],
    ["3", "1e3", 3],
    ["3", "0x10", 3],
    ["3", "NaN", 3],
    ["3", "99999999999999999999", 3],
    ["3", "９", 3],
  ])("attempts %s with the count %s: %d", async (attempts, count, expected) => {
    const server = new FakeServer();
    const url = await server.createQueue();
    await server.put(url, bodyText({ attempts }));
    const client = tampering(server.client, (message) => ({
      ...message,
      Attributes: count === undefined ? {} : { ApproximateReceiveCount: count },
    }));
    const { poll, handled } = probe({ client }, url);
    await poll();
    expect(handled.map(({ envelope }) => envelope.attempts)).toEqual([expected]);
  });
});

describe("a settlement that fails", () => {
  const fault = { code: "InternalError", senderFault: true, message: "a shard is down" };

  test.each(["alone", "in a batch"])(
    "delete, %s: SqsDeleteError with cause, not released",
    async (how) => {
      const server = new FakeServer();
      const url = await server.createQueue();
      const count = how === "alone" ? 1 : 2;
      for (let n = 0; n < count; n += 1) await server.put(url, bodyText());
      server.fake.onRequest(({ operation }) =>
        operation === "DeleteMessage" ? throttled() : undefined,
      );
      server.fake.failEntries((operation, _entry, index) =>
        operation === "DeleteMessageBatch" && index === 1 ? fault : undefined,
      );
      const { poll, reported, consumer } = probe(server, url);
      expect(await poll()).toBe(count);
      expect(reported).toMatchObject([
        [
          how === "alone"
            ? { code: "RequestThrottled", senderFault: false, cause: { name: "RequestThrottled" } }
            : { code: "InternalError", senderFault: true, cause: { message: "a shard is down" } },
          envelopeOf(),
          { Body: bodyText() },
        ],
      ]);
      expect(reported[0]?.[0]).toBeInstanceOf(SqsDeleteError);
      expect(server.operations.filter((name) => name.startsWith("Change"))).toEqual([]);
      expect(server.fake.messages(url)).toMatchObject([{ inFlight: true }]);
      expect(consumer.stats()).toMatchObject({ handled: count, failedDeletes: 1, released: 0 });
    },
  );

  test.each(["alone", "in a batch"])(
    "release, %s: reported, and the handler's error too",
    async (how) => {
      const server = new FakeServer();
      const url = await server.createQueue();
      const count = how === "alone" ? 1 : 2;
      for (let n = 0; n < count; n += 1) await server.put(url, bodyText());
      server.fake.onRequest(({ operation }) =>
        operation === "ChangeMessageVisibility" ? throttled() : undefined,
      );
      server.fake.failEntries((operation, _entry, index) =>
        operation === "ChangeMessageVisibilityBatch" && index === 1 ? fault : undefined,
      );
      const { poll, reported, consumer, handled } = probe(server, url, {}, () =>
        Promise.reject(FAILURE),
      );
      await poll();
      const errors = reported.map(([error]) => error);
      expect(errors.slice(0, count)).toEqual(Array.from({ length: count }, () => FAILURE));
      expect(errors.slice(count)).toEqual([expect.any(SqsReleaseError)]);
      expect(reported.at(-1)).toMatchObject([
        { code: how === "alone" ? "RequestThrottled" : "InternalError", cause: expect.any(Error) },
        envelopeOf(),
        { Body: bodyText() },
      ]);
      expect(consumer.stats()).toMatchObject({ released: count - 1, left: 1 });
      passSeconds(31);
      await poll();
      expect(handled).toHaveLength(2 * count);
    },
  );

  test("a FIFO receipt that expired while the handler ran: SqsDeleteError, delivered again", async () => {
    const server = new FakeServer();
    const url = await server.createQueue("fifo");
    await server.put(url, bodyText());
    const { poll, reported, handled } = probe(server, url, {}, ({ attempts }) => {
      if (attempts === 0) passSeconds(31);
    });
    await poll();
    expect(reported).toMatchObject([
      [expect.any(SqsDeleteError), envelopeOf(), { Body: bodyText() }],
    ]);
    await poll();
    expect(handled.map(({ envelope }) => envelope.attempts)).toEqual([0, 1]);
    expect(await server.placeOf(url)).toBe("gone");
  });

  test("and an onError that fails with it: the loop goes on", async () => {
    const server = new FakeServer();
    const url = await server.createQueue();
    await server.put(url, bodyText());
    server.fake.onRequest(({ operation }) =>
      operation === "DeleteMessage" ? throttled() : undefined,
    );
    const { poll } = probe(server, url, { onError: rejecting });
    const { warnings, unhandled } = await observe(poll);
    expect(unhandled).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(["hook_failed", "RequestThrottled"]);
  });
});
