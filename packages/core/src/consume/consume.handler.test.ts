import { describe, expect, test } from "vitest";
import {
  bodyText,
  deliveryOf,
  envelopeOf,
  errorOf,
  metaText,
  NATIVE,
  type Native,
  nestedText,
  observe,
  probe,
  URN,
} from "../envelope/envelope.fixture.js";
import {
  type ConsumeOptions,
  createConsume,
  type Handler,
  type JsonObject,
  UrnRouter,
} from "../index.js";

const FAILURE = new Error("no stock");
const throwing = (): never => {
  throw FAILURE;
};

describe("a handler that returns or resolves", () => {
  test.each([undefined, false, Promise.resolve("anything")])("%o: ack", async (returned) => {
    const { consume, reported } = probe({}, () => returned);
    await expect(consume(deliveryOf())).resolves.toStrictEqual({
      kind: "ack",
      envelope: envelopeOf(),
    });
    expect(reported).toEqual([]);
  });

  test("is given the envelope, the native message, headers and signal", async () => {
    const calls: Parameters<Handler<JsonObject, Native>>[] = [];
    const router = new UrnRouter<Native>().on(URN, (...call) => calls.push(call));
    const delivery = deliveryOf({ headers: { traceparent: "00-…" } });
    await createConsume(router, { deadLetters: false })(Object.freeze(delivery));
    const { headers, signal } = delivery;
    expect(calls).toEqual([[envelopeOf(), NATIVE, { headers, signal }]]);
    expect(calls[0]?.[1]).toBe(NATIVE);
    expect(calls[0]?.[2].signal).toBe(signal);
  });

  test.each([
    [undefined, 9007199254740993n],
    ["bigint", 9007199254740993n],
    ["number", 9007199254740992],
  ] as const)("sees large integers as option %s says", async (largeIntegers, id) => {
    const { consume, handled } = probe({ largeIntegers });
    await consume(deliveryOf({ body: bodyText({ data: '{"id":9007199254740993}' }) }));
    expect(handled[0]?.data).toEqual({ id });
  });

  test.each([
    ["data 10 000 levels deep", bodyText({ data: nestedText(10_000) })],
    [
      "keys named __proto__",
      bodyText({ data: '{"__proto__":{"a":1}}', meta: metaText({ ["__proto__"]: "1" }) }),
    ],
    ["a lone surrogate", bodyText({ data: '{"a":"\uDC00"}' })],
  ])("gets %s", async (_, body) => {
    const { consume, handled } = probe();
    await expect(consume(deliveryOf({ body }))).resolves.toMatchObject({ kind: "ack" });
    expect(handled).toHaveLength(1);
  });

  test("is told of dropped keys through onWarning", async () => {
    const warnings: unknown[] = [];
    const { consume } = probe({ onWarning: (warning) => warnings.push(warning) });
    await consume(deliveryOf({ body: bodyText({ timestamp: "1", meta: metaText({ ts: "1" }) }) }));
    expect(warnings).toMatchObject([{ pointer: "/timestamp" }, { pointer: "/meta/ts" }]);
  });
});

describe("a handler that throws or rejects", () => {
  test.each<[string, unknown, unknown]>([
    ["an Error", FAILURE, FAILURE],
    ["undefined", undefined, { name: "Error", cause: undefined }],
    ["null", null, { name: "Error", cause: null }],
    ["a string", "no stock", { name: "Error", cause: "no stock" }],
    ["an object", { code: 1 }, { name: "Error", cause: { code: 1 } }],
  ])("%s: reported as it was, then released with an Error", async (_, thrown, error) => {
    for (const handle of [
      () => {
        throw thrown; // oxlint-disable-line typescript/only-throw-error
      },
      () => Promise.reject(thrown), // oxlint-disable-line typescript/prefer-promise-reject-errors
    ]) {
      const { consume, reported } = probe({ releaseDelaySeconds: 7 }, handle);
      const { result, warnings, unhandled } = await observe(() => consume(deliveryOf()));
      expect(result).toMatchObject({
        kind: "release",
        envelope: envelopeOf(),
        delaySeconds: 7,
        error,
      });
      expect(errorOf(result)).toBeInstanceOf(Error);
      expect(reported).toEqual([[thrown, envelopeOf(), NATIVE]]);
      expect([warnings, unhandled]).toEqual([[], []]);
    }
  });

  test("is reported first: the delay and the outcome wait for onError", async () => {
    const order: string[] = [];
    const options: Partial<ConsumeOptions<Native>> = {
      onError: async () => {
        await Promise.resolve();
        order.push("reported");
      },
      releaseDelaySeconds: () => order.push("delay"),
    };
    await probe(options, throwing).consume(deliveryOf());
    expect(order).toEqual(["reported", "delay"]);
  });

  // docs/wire-contract.md §4: default 0, clamped to 0–43200; floored, NaN is 0
  const DELAYS: [unknown, number][] = [
    [undefined, 0],
    [0, 0],
    [1, 1],
    [1.9, 1],
    [-1, 0],
    [-Infinity, 0],
    [NaN, 0],
    [43_200, 43_200],
    [43_200.9, 43_200],
    [43_201, 43_200],
    [Infinity, 43_200],
    ["60", 0],
    [null, 0],
  ];

  test.each(DELAYS)("releaseDelaySeconds %s: %d seconds", async (delay, delaySeconds) => {
    for (const releaseDelaySeconds of [delay as number, () => delay as number]) {
      const { consume } = probe({ releaseDelaySeconds }, throwing);
      await expect(consume(deliveryOf())).resolves.toMatchObject({ kind: "release", delaySeconds });
    }
  });

  test.each(DELAYS)("unknownUrnReleaseDelaySeconds %s: %d seconds", async (delay, delaySeconds) => {
    const { consume } = probe({
      unknownUrnStrategy: "release",
      unknownUrnReleaseDelaySeconds: delay as number,
      releaseDelaySeconds: 99,
    });
    const delivery = deliveryOf({ body: bodyText({ job: '"urn:unknown"' }) });
    await expect(consume(delivery)).resolves.toMatchObject({ kind: "release", delaySeconds });
  });

  test("a function for the delay is given the reconciled attempts and what was thrown", async () => {
    const calls: unknown[][] = [];
    const releaseDelaySeconds = (...call: unknown[]): number => calls.push(call);
    const { consume } = probe({ releaseDelaySeconds }, throwing);
    await consume(deliveryOf({ redeliveries: 4 }));
    expect(calls).toEqual([[4, FAILURE]]);
  });

  test("a function for the delay that throws is reported too, and the delay is 0", async () => {
    const broken = new Error("no delay");
    const releaseDelaySeconds = (): never => {
      throw broken;
    };
    const { consume, reported } = probe({ releaseDelaySeconds }, throwing);
    await expect(consume(deliveryOf())).resolves.toEqual({
      kind: "release",
      envelope: envelopeOf(),
      delaySeconds: 0,
      error: FAILURE,
    });
    expect(reported.map(([error]) => error)).toEqual([FAILURE, broken]);
  });
});

test("a route that throws is reported, and the message left", async () => {
  const reported: unknown[] = [];
  const routes = { handlerFor: throwing };
  const consume = createConsume(routes, {
    deadLetters: true,
    onError: (error) => reported.push(error),
  });
  await expect(consume(deliveryOf())).resolves.toMatchObject({ kind: "leave", error: FAILURE });
  expect(reported).toEqual([FAILURE]);
});
