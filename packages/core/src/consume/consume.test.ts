import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  bodyText,
  CREATED_AT,
  deliveryOf,
  envelopeOf,
  errorOf,
  metaText,
  NATIVE,
  probe,
} from "../envelope/envelope.fixture.js";
import {
  type Delivery,
  type Envelope,
  InvalidEnvelopeError,
  type Outcome,
  UnknownUrnError,
  type UnknownUrnStrategy,
  UnsupportedSchemaVersionError,
} from "../index.js";

// The outcome tables of docs/wire-contract.md §4. What handlers, hooks and middleware do otherwise is in
// consume.handler.test.ts and consume.middleware.test.ts.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: CREATED_AT });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Of a body that is delivered for the third time. */
function poisonCopy(body: string, error = ""): string {
  const block = JSON.stringify({
    reason: "poison",
    error,
    exception: null,
    failed_at: CREATED_AT,
    original_queue: "orders",
    attempts: 2,
    lang: "node",
  });
  return body.startsWith("{") && body.endsWith("}")
    ? `${body.slice(0, -1)},"dead_letter":${block}}`
    : `{"raw":${JSON.stringify(body)},"dead_letter":${block}}`;
}

type Strategy = UnknownUrnStrategy | undefined;
type HookKind = "no hook" | "a hook" | "a throwing hook";
const HOOK_FAILURE = new Error("the hook failed");

/** Consumes one delivery; all that came of it. */
async function settle(
  delivery: Partial<Delivery<typeof NATIVE>>,
  unknownUrnStrategy: Strategy,
  deadLetters: boolean,
  hook: HookKind,
) {
  const hooked: unknown[][] = [];
  const onUnknownUrn = (envelope: Envelope, message: typeof NATIVE): void => {
    hooked.push([envelope, message]);
    if (hook === "a throwing hook") throw HOOK_FAILURE;
  };
  const { consume, handled, reported } = probe({
    unknownUrnStrategy,
    deadLetters,
    onUnknownUrn: hook === "no hook" ? undefined : onUnknownUrn,
    unknownUrnReleaseDelaySeconds: 30,
    releaseDelaySeconds: 99,
    onWarning: () => undefined,
  });
  const outcome = await consume(deliveryOf(delivery));
  return { outcome, error: errorOf(outcome), hooked, handled, reported };
}

describe.each<[string, Partial<Delivery<typeof NATIVE>>, new (...args: never) => Error]>([
  ["poison: not JSON", { body: "{" }, InvalidEnvelopeError],
  ["poison: not an envelope", { body: "[]" }, InvalidEnvelopeError],
  ["poison: no job or urn", { body: bodyText({ job: undefined }) }, InvalidEnvelopeError],
  [
    "poison: meta.schema_version 2",
    { body: bodyText({ meta: metaText({ schema_version: "2" }) }) },
    InvalidEnvelopeError,
  ],
  ["poison: 1 MiB of [", { body: "[".repeat(1 << 20) }, InvalidEnvelopeError],
  ["gated, the body valid", { declaredSchemaVersion: "2" }, UnsupportedSchemaVersionError],
  [
    "gated, the body poison",
    { declaredSchemaVersion: " 1", body: "{" },
    UnsupportedSchemaVersionError,
  ],
])("%s", (_, changes, ErrorClass) => {
  const delivery = { ...changes, redeliveries: 2 };
  const { body } = deliveryOf(delivery);
  // unknownUrnStrategy | a dead-letter queue is set | none is set
  const TABLE: [Strategy, Outcome["kind"], Outcome["kind"]][] = [
    [undefined, "dead-letter", "leave"],
    ["fail", "dead-letter", "leave"],
    ["release", "dead-letter", "leave"],
    ["dead_letter", "dead-letter", "leave"],
    ["delete", "drop", "drop"],
  ];
  const CELLS = TABLE.flatMap(([strategy, withQueue, without]) =>
    (["no hook", "a hook", "a throwing hook"] as const).flatMap((hook) => [
      { strategy, deadLetters: true, hook, kind: withQueue },
      { strategy, deadLetters: false, hook, kind: without },
    ]),
  );

  test.each(CELLS)(
    "strategy $strategy, dead letters $deadLetters, $hook: $kind",
    async ({ strategy, deadLetters, hook, kind }) => {
      const { outcome, error, ...rest } = await settle(delivery, strategy, deadLetters, hook);
      expect(error).toBeInstanceOf(ErrorClass);
      const isGated = ErrorClass === UnsupportedSchemaVersionError;
      const written = isGated
        ? { reason: "gated", body }
        : { reason: "poison", body: poisonCopy(body, error?.message) };
      const copy = kind === "dead-letter" ? written : {};
      expect(outcome).toStrictEqual({ kind, envelope: null, error, ...copy });
      expect(rest).toEqual({ hooked: [], handled: [], reported: [[error, null, NATIVE]] });
    },
  );
});

describe("an unknown URN", () => {
  const body = bodyText({
    job: '"urn:unknown"',
    data: '{ "price":99.90, "id":9223372036854775807 }',
  });
  const data = { price: 99.9, id: 9223372036854775807n };
  const envelope = envelopeOf({ job: "urn:unknown", data, attempts: 2 });
  const block = {
    reason: "unknown_urn",
    error: null,
    exception: null,
    failed_at: CREATED_AT,
    original_queue: "orders",
    attempts: 2,
    lang: "node",
  };
  const copy = body.replace('"attempts":0', `"attempts":2,"dead_letter":${JSON.stringify(block)}`);
  const OUTCOMES = {
    leave: { kind: "leave", envelope },
    drop: { kind: "drop", envelope },
    release: { kind: "release", envelope, delaySeconds: 30 },
    "dead-letter": {
      kind: "dead-letter",
      envelope: { ...envelope, dead_letter: block },
      reason: "unknown_urn",
      body: copy,
    },
  };
  const UNKNOWN = new UnknownUrnError("urn:unknown");

  // unknownUrnStrategy | hook | a dead-letter queue is set | none is set | reported
  type Row = [Strategy, HookKind, keyof typeof OUTCOMES, keyof typeof OUTCOMES, Error[]];
  const TABLE: Row[] = [
    [undefined, "no hook", "leave", "leave", [UNKNOWN]],
    [undefined, "a hook", "drop", "drop", []],
    [undefined, "a throwing hook", "leave", "leave", [HOOK_FAILURE]],
    ["fail", "no hook", "leave", "leave", [UNKNOWN]],
    ["fail", "a hook", "leave", "leave", [UNKNOWN]],
    ["fail", "a throwing hook", "leave", "leave", [HOOK_FAILURE, UNKNOWN]],
    ["delete", "no hook", "drop", "drop", []],
    ["delete", "a hook", "drop", "drop", []],
    ["delete", "a throwing hook", "drop", "drop", [HOOK_FAILURE]],
    ["release", "no hook", "release", "release", []],
    ["release", "a hook", "release", "release", []],
    ["release", "a throwing hook", "release", "release", [HOOK_FAILURE]],
    ["dead_letter", "no hook", "dead-letter", "drop", []],
    ["dead_letter", "a hook", "dead-letter", "drop", []],
    ["dead_letter", "a throwing hook", "dead-letter", "drop", [HOOK_FAILURE]],
  ];
  const CELLS = TABLE.flatMap(([strategy, hook, withQueue, without, errors]) => [
    { strategy, hook, deadLetters: true, kind: withQueue, errors },
    { strategy, hook, deadLetters: false, kind: without, errors },
  ]);

  test.each(CELLS)(
    "strategy $strategy, $hook, dead letters $deadLetters: $kind",
    async ({ strategy, hook, deadLetters, kind, errors }) => {
      const seen = await settle({ body, redeliveries: 2 }, strategy, deadLetters, hook);
      const isHookFailure = strategy === undefined && hook === "a throwing hook";
      const error = isHookFailure ? HOOK_FAILURE : UNKNOWN;
      expect(seen.outcome).toEqual({ ...OUTCOMES[kind], error });
      expect(seen.reported).toEqual(errors.map((each) => [each, envelope, NATIVE]));
      expect(seen.hooked).toEqual(hook === "no hook" ? [] : [[envelope, NATIVE]]);
      expect(seen.handled).toEqual([]);
    },
  );

  test.each(["toString", "__proto__", "constructor"])("named %s finds no handler", async (urn) => {
    const { outcome } = await settle(
      { body: bodyText({ job: `"${urn}"` }) },
      "delete",
      true,
      "no hook",
    );
    expect(outcome).toMatchObject({ kind: "drop", error: { code: "unknown_urn", urn } });
  });

  test.each([
    [
      "the alias, unknown keys and white space",
      ' { "urn":"urn:x", "x" : [ 1.0 ], ',
      ' { "job":"urn:x", "x" : [ 1.0 ], ',
      " } ",
    ],
    ["forbidden keys", '{"timestamp":1,"urn":"urn:x",', '{"job":"urn:x",', "}"],
  ])("is copied with %s as the text came", async (_, head, copiedHead, tail) => {
    const rest = `"trace_id":"t","data":{ },"meta":${metaText()},"attempts" : 2`;
    const received = head + rest + tail;
    const { outcome } = await settle({ body: received }, "dead_letter", true, "no hook");
    const written = `,"dead_letter":${JSON.stringify(block)}`;
    expect(outcome).toMatchObject({ body: copiedHead + rest + written + tail });
  });
});

describe("attempts", () => {
  // body | redeliveries | the broker's own count | what the handler sees
  test.each([
    [0, undefined, undefined, 0],
    [4, undefined, undefined, 4],
    [0, 3, undefined, 3],
    [4, 3, undefined, 4],
    [3, 3, undefined, 3],
    [4, NaN, undefined, 4],
    [4, -1, undefined, 4],
    [4, 9.5, undefined, 4],
    [4, Infinity, undefined, 4],
    [4, "9" as never, undefined, 4],
    [4, 9, 1, 1],
    [4, undefined, 0, 0],
    [4, 9, NaN, 9],
    [4, undefined, -1, 4],
  ])(
    "body %d, redeliveries %s, overridden by %s: %d",
    async (inBody, redeliveries, attempts, seen) => {
      const { consume, handled } = probe();
      const body = bodyText({ attempts: String(inBody) });
      const outcome = await consume(deliveryOf({ body, redeliveries, attempts }));
      expect(handled).toEqual([envelopeOf({ attempts: seen })]);
      expect(outcome.envelope?.attempts).toBe(seen);
    },
  );
});
