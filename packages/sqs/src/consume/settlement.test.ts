import {
  type Envelope,
  InvalidEnvelopeError,
  UnknownUrnError,
  UnsupportedSchemaVersionError,
} from "@babelqueue/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  bodyText,
  envelopeOf,
  messageOf,
  metaText,
  type Probe,
  probe,
  SIX,
  splicedCopy,
  text,
  URN,
  wrappedCopy,
} from "../contract.fixture.js";
import type { SqsConsumerOptions } from "../index.js";
import {
  type Attributes,
  FakeServer,
  type Kind,
  nameOf,
  type Place,
  passSeconds,
  SERVERS,
  type Server,
} from "../servers.fixture.js";

type Strategy = SqsConsumerOptions["unknownUrnStrategy"];
type Hook = "no hook" | "a hook" | "a throwing hook";
const HOOKS: readonly Hook[] = ["no hook", "a hook", "a throwing hook"];
const KINDS: readonly Kind[] = ["standard", "fifo"];
const HOOK_FAILURE = new Error("the hook fails");
const HANDLER_FAILURE = new Error("no stock");
const NOW = 1_790_000_000_000;
const throwing = (): never => {
  throw HOOK_FAILURE;
};

afterEach(() => {
  vi.useRealTimers();
});

interface Settled extends Pick<Probe, "handled" | "reported"> {
  readonly place: Place;
  readonly deadLetters: Awaited<ReturnType<Server["letters"]>>;
  readonly hooked: unknown[][];
  readonly queue: string;
  readonly id: string;
}

async function settle(
  server: Server,
  kind: Kind,
  message: { readonly body: string; readonly attributes: Attributes },
  { strategy, hook, dlq }: { strategy: Strategy; hook: Hook; dlq: boolean },
): Promise<Settled> {
  const url = await server.createQueue(kind);
  const deadLetterUrl = await server.createQueue(kind);
  const id = await server.put(url, message.body, message.attributes);
  const hooked: unknown[][] = [];
  const { poll, handled, reported } = probe(server, url, {
    unknownUrnStrategy: strategy,
    deadLetterQueueUrl: dlq ? deadLetterUrl : undefined,
    onUnknownUrn:
      hook === "no hook"
        ? undefined
        : async (...call) => {
            hooked.push(call);
            if (hook === "a throwing hook") throw HOOK_FAILURE;
          },
  });
  expect(await poll()).toBe(1);
  const place = await server.placeOf(url);
  const deadLetters = await server.letters(deadLetterUrl);
  return { handled, reported, place, deadLetters, hooked, queue: nameOf(url), id };
}

/** On FIFO, the DLQ message has the queue's name as group and the SQS message id (docs/wire-contract.md §4). */
function idsOf({ queue, id }: Settled, kind: Kind): object {
  return kind === "fifo"
    ? { group: queue, deduplicationId: id }
    : { group: undefined, deduplicationId: undefined };
}

/** Why it is there and where it came from: {@link Server.put} puts into the group `a-group`. */
function marksOf(reason: string, queue: string, kind: Kind): Attributes {
  return {
    "bq-dead-letter-reason": text(reason),
    "bq-original-queue": text(queue),
    ...(kind === "fifo" && { "bq-original-group": text("a-group") }),
  };
}

const RIDERS = { traceparent: text("00-a-b-01"), tenant: text("acme") };
const POISON = '{"job":"urn:babel:orders:created","data":';

describe.each(SERVERS)("$name", (server) => {
  describe.each(KINDS)("a %s queue", (kind) => {
    // unknownUrnStrategy | with a dead-letter queue | without
    const REFUSED: [Strategy, "to the DLQ" | "gone", "hidden" | "gone"][] = [
      [undefined, "to the DLQ", "hidden"],
      ["fail", "to the DLQ", "hidden"],
      ["release", "to the DLQ", "hidden"],
      ["dead_letter", "to the DLQ", "hidden"],
      ["delete", "gone", "gone"],
    ];
    const CELLS = REFUSED.flatMap(([strategy, withQueue, without]) =>
      HOOKS.flatMap((hook) => [
        { strategy, dlq: true, hook, end: withQueue },
        { strategy, dlq: false, hook, end: without },
      ]),
    );

    describe.each([
      ["poison", { body: POISON, attributes: RIDERS }, InvalidEnvelopeError, wrappedCopy],
      [
        "poison by its body's version",
        {
          body: bodyText({ meta: metaText({ schema_version: "2" }) }),
          attributes: { "bq-schema-version": { DataType: "Number", StringValue: "1" } },
        },
        InvalidEnvelopeError,
        splicedCopy,
      ],
      [
        "gated",
        {
          body: bodyText(),
          attributes: { ...SIX, "bq-schema-version": { DataType: "Number", StringValue: "2" } },
        },
        UnsupportedSchemaVersionError,
        null,
      ],
      [
        "gated, the body poison too",
        { body: POISON, attributes: { ...RIDERS, "bq-schema-version": text("x") } },
        UnsupportedSchemaVersionError,
        null,
      ],
    ] as const)("%s", (_, message, ErrorClass, toCopy) => {
      test.each(CELLS)("strategy $strategy, DLQ $dlq, $hook: $end", async ({ end, ...options }) => {
        vi.useFakeTimers({ toFake: ["Date"], now: NOW });
        const settled = await settle(server, kind, message, options);
        const { reported, handled, hooked, place, deadLetters, queue } = settled;
        expect([handled, hooked]).toEqual([[], []]);
        expect(reported).toEqual([
          [expect.any(ErrorClass), null, expect.objectContaining({ Body: message.body })],
        ]);
        expect(place).toBe(end === "hidden" ? "hidden" : "gone");
        const error = messageOf(reported[0]?.[0]);
        const copy = {
          body: toCopy ? toCopy(message.body, { error, queue, failedAt: NOW }) : message.body,
          attributes: {
            ...message.attributes,
            ...marksOf(toCopy ? "poison" : "gated", queue, kind),
          },
          ...idsOf(settled, kind),
        };
        expect(deadLetters).toMatchObject(end === "to the DLQ" ? [copy] : []);
        expect(Object.keys(deadLetters[0]?.attributes ?? {}).sort()).toEqual(
          end === "to the DLQ" ? Object.keys(copy.attributes).sort() : [],
        );
      });
    });

    describe("an unknown URN", () => {
      const job = '"urn:unknown"';
      const data = '{ "price":99.90,"id":9223372036854775807 }';
      const body = bodyText({ job, data, extra: '[1e400,"x"]' });
      const six = { ...SIX, "bq-job": text("urn:unknown") };
      const message = { body, attributes: { ...six, ...RIDERS } };
      const ERROR = expect.any(UnknownUrnError);

      // strategy | hook | where it ends | what onError is told
      const UNKNOWN: [Strategy, Hook, Place, unknown[]][] = [
        [undefined, "no hook", "hidden", [ERROR]],
        [undefined, "a hook", "gone", []],
        [undefined, "a throwing hook", "hidden", [HOOK_FAILURE]],
        ["fail", "no hook", "hidden", [ERROR]],
        ["fail", "a hook", "hidden", [ERROR]],
        ["fail", "a throwing hook", "hidden", [HOOK_FAILURE, ERROR]],
        ["delete", "no hook", "gone", []],
        ["delete", "a hook", "gone", []],
        ["delete", "a throwing hook", "gone", [HOOK_FAILURE]],
        ["release", "no hook", "visible", []],
        ["release", "a hook", "visible", []],
        ["release", "a throwing hook", "visible", [HOOK_FAILURE]],
        ["dead_letter", "no hook", "gone", []],
        ["dead_letter", "a hook", "gone", []],
        ["dead_letter", "a throwing hook", "gone", [HOOK_FAILURE]],
      ];
      const UNKNOWN_CELLS = UNKNOWN.flatMap(([strategy, hook, end, reports]) => [
        { strategy, hook, end, reports, dlq: true },
        { strategy, hook, end, reports, dlq: false },
      ]);

      test.each(UNKNOWN_CELLS)(
        "strategy $strategy, $hook, DLQ $dlq: $end",
        async ({ end, reports, ...options }) => {
          vi.useFakeTimers({ toFake: ["Date"], now: NOW });
          const settled = await settle(server, kind, message, options);
          const { reported, handled, hooked, place, deadLetters, queue } = settled;
          const envelope = expect.objectContaining({ job: "urn:unknown", attempts: 0 });
          const native = expect.objectContaining({ Body: body });
          expect(place).toBe(end);
          expect(handled).toEqual([]);
          expect(hooked).toEqual(options.hook === "no hook" ? [] : [[envelope, native]]);
          expect(reported).toEqual(reports.map((error) => [error, envelope, native]));
          const block =
            `{"reason":"unknown_urn","error":null,"exception":null,"failed_at":${NOW},` +
            `"original_queue":"${queue}","attempts":0,"lang":"node"}`;
          const copy = {
            body: `${body.slice(0, -1)},"dead_letter":${block}}`,
            // with the group there are ten without the tenant
            attributes: {
              ...six,
              ...marksOf("unknown_urn", queue, kind),
              ...(kind === "fifo" ? { traceparent: RIDERS.traceparent } : RIDERS),
            },
            ...idsOf(settled, kind),
          };
          const isWritten = options.strategy === "dead_letter" && options.dlq;
          expect(deadLetters).toMatchObject(isWritten ? [copy] : []);
          expect(Object.keys(deadLetters[0]?.attributes ?? {}).sort()).toEqual(
            isWritten ? Object.keys(copy.attributes).sort() : [],
          );
        },
      );
    });

    describe("a handler", () => {
      test.each([undefined, false, Promise.resolve()])(
        "that returns %o: deleted",
        async (returned) => {
          const url = await server.createQueue(kind);
          await server.put(url, bodyText(), { ...SIX, ...RIDERS });
          const { poll, handled, reported } = probe(server, url, {}, () => returned);
          expect(await poll()).toBe(1);
          expect(await server.placeOf(url)).toBe("gone");
          expect(reported).toEqual([]);
          expect(handled).toMatchObject([
            {
              envelope: envelopeOf(),
              message: { Body: bodyText() },
              headers: { traceparent: "00-a-b-01", tenant: "acme" },
            },
          ]);
          expect(Object.keys(handled[0]?.headers ?? {})).toHaveLength(2);
        },
      );

      test.each<[string, unknown]>([
        ["an Error", HANDLER_FAILURE],
        ["undefined", undefined],
        ["null", null],
        ["a string", "no stock"],
      ])("that throws %s: reported as it was, released at once", async (_, thrown) => {
        const url = await server.createQueue(kind);
        await server.put(url, bodyText(), SIX);
        const { poll, reported } = probe(server, url, {}, () => {
          throw thrown;
        });
        expect(await poll()).toBe(1);
        expect(await server.placeOf(url)).toBe("visible");
        expect(reported).toEqual([
          [thrown, envelopeOf(), expect.objectContaining({ Body: bodyText() })],
        ]);
        expect(reported[0]?.[0]).toBe(thrown);
      });

      test("that rejects, with a delay: comes back when it has passed, attempts counted", async () => {
        const url = await server.createQueue(kind);
        await server.put(url, bodyText(), SIX);
        const { poll, handled } = probe(server, url, { releaseDelaySeconds: 60 }, () =>
          Promise.reject(HANDLER_FAILURE),
        );
        await poll();
        // later than the queue's own 30 s: it was the release that hid it
        passSeconds(58);
        expect([await poll(), await server.placeOf(url)]).toEqual([0, "hidden"]);
        passSeconds(4);
        expect(await poll()).toBe(1);
        expect(handled.map(({ envelope }) => envelope.attempts)).toEqual([0, 1]);
      });
    });

    test("an unknown URN released with a delay comes back when it has passed", async () => {
      const url = await server.createQueue(kind);
      await server.put(url, bodyText({ job: '"urn:unknown"' }));
      const { poll } = probe(server, url, {
        unknownUrnStrategy: "release",
        unknownUrnReleaseDelaySeconds: 60.9,
        releaseDelaySeconds: 600,
      });
      await poll();
      passSeconds(58);
      expect(await poll()).toBe(0);
      passSeconds(4);
      expect(await poll()).toBe(1);
    });

    test("what is left comes back when its visibility timeout lapses", async () => {
      const url = await server.createQueue(kind);
      await server.put(url, POISON);
      const { poll, reported } = probe(server, url);
      await poll();
      passSeconds(28);
      expect(await poll()).toBe(0);
      passSeconds(4);
      expect(await poll()).toBe(1);
      expect(reported).toHaveLength(2);
    });

    test("a native redrive policy takes what is left", async () => {
      const deadLetterUrl = await server.createQueue(kind);
      const url = await server.createQueue(kind, {
        VisibilityTimeout: "0",
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: await server.arnOf(deadLetterUrl),
          maxReceiveCount: 1,
        }),
      });
      await server.put(url, POISON, RIDERS);
      const { poll } = probe(server, url);
      expect([await poll(), await poll()]).toEqual([1, 0]);
      expect(await server.letter(deadLetterUrl)).toMatchObject({
        body: POISON,
        attributes: RIDERS,
      });
    });
  });

  /** The gate of docs/wire-contract.md §3. A server may refuse to hold the value: see consumer.test.ts. */
  describe("bq-schema-version", () => {
    test.each(["1", " ", "\t", "\n", "\r", " \t\r\n "])("%j is read as usual", async (declared) => {
      const url = await server.createQueue();
      await server.put(url, bodyText(), { "bq-schema-version": text(declared) });
      const { poll, handled } = probe(server, url);
      await poll();
      expect(handled).toHaveLength(1);
    });

    test.each(["2", "x", "01", " 1", "1 ", "1.0", "+1", "\u00A0", "\uFEFF", "１"])(
      "%j is refused",
      async (declared) => {
        const url = await server.createQueue();
        await server.put(url, bodyText(), { "bq-schema-version": text(declared) });
        const { poll, handled, reported } = probe(server, url);
        await poll();
        expect(handled).toEqual([]);
        expect(reported).toMatchObject([[{ declared }, null, { Body: bodyText() }]]);
      },
    );
  });
});

describe("the release of a message whose handler failed", () => {
  type Delay = SqsConsumerOptions["releaseDelaySeconds"];
  /** SQS counts its 43 200 seconds from the receive, and refuses what ends later. */
  const LONGEST = 43_198;

  test.each<[string, Delay, number]>([
    ["nothing", undefined, 0],
    ["5", 5, 5],
    ["5.9", 5.9, 5],
    ["-0.5", -0.5, 0],
    ["-1", -1, 0],
    ["NaN", Number.NaN, 0],
    ["-Infinity", Number.NEGATIVE_INFINITY, 0],
    ["43 200", 43_200, LONGEST],
    ["1e9", 1e9, LONGEST],
    ["Infinity", Number.POSITIVE_INFINITY, LONGEST],
    ["a function", (attempts, error) => (error === HANDLER_FAILURE ? attempts + 7 : -1), 7],
    ["a function that gives NaN", () => Number.NaN, 0],
    ["a function that gives 1e9", () => 1e9, LONGEST],
    ["a function that throws", throwing, 0],
  ])("with a delay of %s", async (_, releaseDelaySeconds, seconds) => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    const server = new FakeServer();
    const url = await server.createQueue();
    await server.put(url, bodyText());
    const { poll, reported } = probe(server, url, { releaseDelaySeconds }, () => {
      throw HANDLER_FAILURE;
    });
    await poll();
    expect(server.fake.requests.at(-1)).toMatchObject({
      operation: "ChangeMessageVisibility",
      input: { VisibilityTimeout: seconds },
    });
    expect(server.fake.messages(url)).toMatchObject([{ visibleAt: NOW + seconds * 1000 }]);
    const failures =
      releaseDelaySeconds === throwing ? [HANDLER_FAILURE, HOOK_FAILURE] : [HANDLER_FAILURE];
    expect(reported.map(([error]) => error)).toEqual(failures);
  });

  test("of the longest delay is taken although answers take their time", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    const server = new FakeServer();
    const url = await server.createQueue();
    await server.put(url, bodyText());
    server.fake.onAnswer(({ operation }) => {
      if (operation === "ReceiveMessage") vi.setSystemTime(NOW + 40);
    });
    const { poll, reported } = probe(server, url, { releaseDelaySeconds: 43_200 }, () => {
      throw HANDLER_FAILURE;
    });
    await poll();
    expect(reported.map(([error]) => error)).toEqual([HANDLER_FAILURE]);
  });

  test("comes after the report, and only once that is through", async () => {
    const server = new FakeServer();
    const url = await server.createQueue();
    await server.put(url, bodyText());
    let operations: string[] = [];
    const onError = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      operations = server.operations;
    };
    await probe(server, url, { onError }, () => Promise.reject(HANDLER_FAILURE)).poll();
    expect(operations).not.toContain("ChangeMessageVisibility");
    expect(server.operations).toContain("ChangeMessageVisibility");
  });

  test("never deletes", async () => {
    const server = new FakeServer();
    const url = await server.createQueue();
    await server.put(url, bodyText());
    const envelopes: (Envelope | null)[] = [];
    const onError = (_: unknown, envelope: Envelope | null): unknown => envelopes.push(envelope);
    await probe(server, url, { onError }, () => Promise.reject(HANDLER_FAILURE)).poll();
    expect(server.operations.filter((name) => name.startsWith("Delete"))).toEqual([]);
    expect(envelopes).toMatchObject([{ job: URN }]);
  });
});
