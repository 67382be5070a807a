import { describe, expect, test } from "vitest";
import {
  bodyText,
  deliveryOf,
  errorOf,
  metaText,
  NATIVE,
  type Native,
  observe,
  SECRET,
  shownBy,
  URN,
} from "../envelope/envelope.fixture.js";
import {
  type ConsumeOptions,
  createConsume,
  createEnvelope,
  type DeadLetterWrite,
  defineMessage,
  type Envelope,
  type Handler,
  InvalidArgumentError,
  type MessageDefinition,
  type Outcome,
  PayloadRefusedError,
  type Routes,
  UnknownUrnStrategy,
  UrnRouter,
} from "../index.js";
import { anything, failing, orderSchemas, schemaOf } from "./schemas.fixture.js";

const PLACED_AT = "2025-06-05T16:18:47.000Z";
const good = `{"order_id":1042.0,"placed_at":"${PLACED_AT}","lines":[{"sku":"a","amount":1.50}]}`;
const bad = `{"order_id":1042,"placed_at":"${PLACED_AT}","lines":[{"sku":"${SECRET}"}]}`;

const handler = (): void => undefined;

interface Consumed {
  readonly outcome: Outcome;
  readonly handled: Envelope<unknown>[];
  readonly reported: unknown[][];
}

/** Consumes one message of a URN that has a schema. */
async function consume(
  schema: MessageDefinition["schema"],
  body: string,
  options: Partial<ConsumeOptions<Native>> = {},
  handle: Handler<unknown, Native> = () => undefined,
): Promise<Consumed> {
  const handled: Envelope<unknown>[] = [];
  const reported: unknown[][] = [];
  const router = new UrnRouter<Native>().on(defineMessage({ urn: URN, schema }), (...given) => {
    handled.push(given[0]);
    return handle(...given);
  });
  const outcome = await createConsume<Native>(router, {
    deadLetters: true,
    onError: (...call) => reported.push(call),
    ...options,
  })(deliveryOf({ body }));
  return { outcome, handled, reported };
}

describe.each(orderSchemas)("a message whose schema is by %s", (_, schema) => {
  test("reaches its handler with the schema's output, and all else as received", async () => {
    const body = bodyText({
      data: good,
      meta: metaText({ desk: "7" }),
      attempts: "2",
      branch: '{"city":"Bursa"}',
    });
    const { outcome, handled } = await consume(schema, body);
    expect(handled).toEqual([
      {
        ...(JSON.parse(body) as object),
        data: {
          order_id: 1042,
          placed_at: new Date(PLACED_AT),
          lines: [{ sku: "a", amount: 1.5 }],
        },
      },
    ]);
    // the outcome's is what was received
    expect(outcome).toMatchObject({
      kind: "ack",
      envelope: { data: { placed_at: PLACED_AT }, branch: { city: "Bursa" } },
    });
  });

  test("is poison if its payload does not fit, and goes to the dead-letter queue with a block, every other byte as it came", async () => {
    const body = ` ${bodyText({ data: bad, timestamp: "1", note: "1.50" })}\n`;
    const { outcome, handled, reported } = await consume(schema, body, {
      onWarning: () => undefined,
    });
    const error = expect.any(PayloadRefusedError) as PayloadRefusedError;
    expect(outcome).toEqual({
      kind: "dead-letter",
      envelope: null,
      reason: "poison",
      body: expect.stringContaining(body.trimEnd().slice(0, -1)) as string,
      error,
    });
    const copy = JSON.parse((outcome as DeadLetterWrite).body) as Envelope;
    expect(copy.dead_letter).toMatchObject({ reason: "poison", error: errorOf(outcome)?.message });
    expect(reported).toEqual([[error, null, NATIVE]]);
    expect(handled).toEqual([]);
    expect(reported[0]?.[0]).toMatchObject({
      code: "payload_refused",
      urn: URN,
      id: createEnvelopeId(body),
      issues: [{ pointer: "/data/lines/0/amount" }],
    });
    expect(shownBy(reported[0]?.[0])).not.toContain(SECRET);
  });
});

function createEnvelopeId(body: string): string {
  return (JSON.parse(body) as Envelope).meta.id;
}

describe("a payload that does not fit", () => {
  const strategies = [undefined, ...Object.values(UnknownUrnStrategy)];

  test.each(strategies)("is settled as poison is, with strategy %s", async (unknownUrnStrategy) => {
    const isDeleted = unknownUrnStrategy === "delete";
    const cases = [
      [true, isDeleted ? "drop" : "dead-letter"],
      [false, isDeleted ? "drop" : "leave"],
    ] as const;
    for (const [deadLetters, kind] of cases) {
      const { outcome, reported } = await consume(failing({}), bodyText(), {
        deadLetters,
        unknownUrnStrategy,
        onUnknownUrn: () => {
          throw new Error("The URN is known");
        },
        releaseDelaySeconds: 7,
      });
      expect(outcome).toMatchObject({ kind, envelope: null, error: { code: "payload_refused" } });
      expect(reported).toHaveLength(1);
    }
  });

  test("without onError becomes a process warning that shows nothing of it", async () => {
    const issue = { message: SECRET, path: ["order_id"] };
    const { warnings } = await observe(() =>
      consume(failing(issue), bodyText({ data: `{"order_id":"${SECRET}"}` }), {
        onError: undefined,
      }),
    );
    expect(warnings).toMatchObject([{ code: "payload_refused" }]);
    expect(warnings[0]?.message).toContain("/data/order_id");
    expect(warnings.map(shownBy).join()).not.toContain(SECRET);
  });

  test("is still poison where the message has no id", async () => {
    const body = bodyText({ meta: metaText({ id: undefined }) });
    const { outcome } = await consume(failing({}), body);
    expect(outcome).toMatchObject({ kind: "dead-letter", error: { id: undefined } });
  });

  test("passes through whatever wraps a router", async () => {
    const router = new UrnRouter().on(
      defineMessage({ urn: "urn:v1", schema: failing({}) }),
      () => 1,
    );
    const routes: Routes = {
      handlerFor: () => async (envelope, message, context) =>
        router.handlerFor("urn:v1")?.(envelope, message, context),
    };
    const options = { deadLetters: false, onError: () => undefined };
    await expect(createConsume(routes, options)(deliveryOf())).resolves.toMatchObject({
      kind: "leave",
      error: { urn: "urn:v1" },
    });
  });
});

describe("what is not this message's own payload is a handler's failure", () => {
  test.each<[string, Handler<unknown, Native>]>([
    [
      "a payload that it cannot publish",
      () => createEnvelope(defineMessage({ urn: "urn:next", schema: failing({}) }), {}),
    ],
    [
      "another message, given to a handler of its own",
      (_, message, context) =>
        new UrnRouter<Native>()
          .on(defineMessage({ urn: "urn:next", schema: failing({}) }), () => undefined)
          .handlerFor("urn:next")?.(createEnvelope("urn:next", {}) as never, message, context),
    ],
  ])("%s", async (_, handle) => {
    const { outcome, reported } = await consume(anything, bodyText(), {}, handle);
    expect(outcome).toMatchObject({ kind: "release", envelope: { job: URN } });
    expect(reported).toMatchObject([[{ message: expect.any(String) }, { job: URN }, NATIVE]]);
  });
});

describe("a schema that fails itself", () => {
  const cause = new Error("The price list cannot be reached");

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw cause;
      },
    ],
    ["rejects", () => Promise.reject(cause)],
  ])("and %s has the message released, as a handler does", async (_, validate) => {
    const options = { releaseDelaySeconds: 30 };
    const { outcome, handled, reported } = await consume(schemaOf(validate), bodyText(), options);
    expect(outcome).toMatchObject({ kind: "release", delaySeconds: 30, error: cause });
    expect(reported).toMatchObject([[cause, { job: URN }, NATIVE]]);
    expect(handled).toEqual([]);
  });

  test.each([undefined, null, 1, {}, { issues: "all" }])(
    "and returns %j has the message released",
    async (result) => {
      const { outcome } = await consume(
        schemaOf(() => result),
        bodyText(),
      );
      expect(outcome).toMatchObject({
        kind: "release",
        error: expect.any(InvalidArgumentError) as Error,
      });
    },
  );
});

test("an asynchronous schema is awaited", async () => {
  const takes = schemaOf<object, string>(async () => ({ value: "made later" }));
  const { outcome, handled } = await consume(takes, bodyText());
  expect(outcome.kind).toBe("ack");
  expect(handled).toMatchObject([{ data: "made later" }]);
  const refuses = schemaOf(async () => ({ issues: [{ message: "no" }] }));
  await expect(consume(refuses, bodyText())).resolves.toMatchObject({
    outcome: { kind: "dead-letter" },
  });
});

test("what the handler throws is reported as it was, with what was received", async () => {
  const { outcome, reported } = await consume(anything, bodyText(), {}, () => {
    // oxlint-disable-next-line typescript/only-throw-error
    throw undefined;
  });
  expect(reported).toEqual([[undefined, expect.objectContaining({ job: URN }), NATIVE]]);
  expect(outcome.kind).toBe("release");
});

test("a second handler of the URN is refused, defined or not", () => {
  const definition = defineMessage({ urn: URN, schema: anything });
  for (const [first, second] of [
    [definition, definition],
    [definition, defineMessage({ urn: `${URN} `, schema: failing() })],
  ] as const) {
    expect(() => new UrnRouter().on(first, handler).on(second, handler)).toThrow(URN);
  }
  expect(() => new UrnRouter().on(definition, handler).on(URN, handler)).toThrow(URN);
  expect(() => new UrnRouter().on(URN, handler).on(definition, handler)).toThrow(URN);
  expect(() => new UrnRouter().on(definition, null as never)).toThrow("expected a function");
});
