import { describe, expect, test } from "vitest";
import {
  deliveryOf,
  envelopeOf,
  NATIVE,
  type Native,
  observe,
  probe,
} from "../envelope/envelope.fixture.js";
import {
  type ConsumeMiddleware,
  InvalidEnvelopeError,
  type Outcome,
  type Received,
} from "../index.js";

type Middleware = ConsumeMiddleware<Native>;
const FAILURE = new Error("middleware failed");
const throwing: Middleware = () => () => {
  throw FAILURE;
};

function naming(name: string, log: string[]): Middleware {
  return (next) => async (received) => {
    log.push(`${name} before`);
    const outcome = await next(received);
    log.push(`${name} after ${outcome.kind}`);
    return outcome;
  };
}

describe("middleware", () => {
  test("the first is the outermost", async () => {
    const log: string[] = [];
    const middleware = [naming("first", log), naming("second", log)];
    await probe({ middleware }, () => log.push("handler")).consume(deliveryOf());
    expect(log).toEqual([
      "first before",
      "second before",
      "handler",
      "second after ack",
      "first after ack",
    ]);
  });

  test("sees each message once it is decoded, and the refused ones too", async () => {
    const seen: Received<Native>[] = [];
    const spy: Middleware = (next) => (received) => {
      seen.push(received);
      return next(received);
    };
    const { consume } = probe({ middleware: [spy] });
    const valid = deliveryOf({ redeliveries: 2 });
    const poison = deliveryOf({ body: "" });
    await consume(valid);
    await consume(poison);
    expect(seen).toEqual([
      { delivery: valid, envelope: envelopeOf({ attempts: 2 }), refusal: null },
      { delivery: poison, envelope: null, refusal: expect.any(InvalidEnvelopeError) },
    ]);
    expect(seen[0]?.delivery).toBe(valid);
  });

  test.each<Outcome>([
    { kind: "ack", envelope: envelopeOf() },
    { kind: "drop", envelope: null },
    { kind: "release", envelope: null, delaySeconds: 1 },
    { kind: "leave", envelope: null },
    { kind: "dead-letter", envelope: null, reason: "failed", body: "x" },
  ])("may decide for itself: $kind", async (outcome) => {
    const { consume, handled } = probe({ middleware: [() => async () => outcome] });
    await expect(consume(deliveryOf())).resolves.toEqual(outcome);
    expect(handled).toEqual([]);
  });

  test.each<[string, Middleware]>([
    ["throws", throwing],
    ["rejects", () => () => Promise.reject(FAILURE)],
    [
      "throws once the handler is done",
      (next) => async (received) => {
        await next(received);
        throw FAILURE;
      },
    ],
  ])("one that %s is reported, and the message left", async (_, middleware) => {
    const { consume, reported } = probe({ middleware: [middleware] });
    const { result, unhandled } = await observe(() => consume(deliveryOf()));
    expect(result).toEqual({ kind: "leave", envelope: envelopeOf(), error: FAILURE });
    expect(reported).toEqual([[FAILURE, envelopeOf(), NATIVE]]);
    expect(unhandled).toEqual([]);
  });

  test("one that throws at a refused message is reported without an envelope", async () => {
    const { consume, reported } = probe({ middleware: [throwing] });
    await expect(consume(deliveryOf({ body: "" }))).resolves.toMatchObject({ kind: "leave" });
    expect(reported).toEqual([[FAILURE, null, NATIVE]]);
  });

  test("one that throws undefined: an Error with it as cause", async () => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    const { consume, reported } = probe({ middleware: [() => () => Promise.reject(undefined)] });
    const outcome = await consume(deliveryOf());
    expect(outcome).toMatchObject({ kind: "leave", error: expect.any(Error) });
    expect(reported).toEqual([[undefined, envelopeOf(), NATIVE]]);
  });

  test("an outer one sees an inner one's failure as an outcome", async () => {
    const log: string[] = [];
    await probe({ middleware: [naming("outer", log), throwing] }).consume(deliveryOf());
    expect(log).toEqual(["outer before", "outer after leave"]);
  });

  test.each<[string, unknown]>([
    ["nothing", () => undefined],
    ["an outcome", () => ({ kind: "ack" })],
    ["a promise", async () => () => ({ kind: "ack" })],
  ])("one that returns %s in place of a route is refused at once", (_, middleware) => {
    expect(() => probe({ middleware: [middleware as Middleware] })).toThrow("return a function");
  });

  test.each([undefined, null, {}, { kind: "retry" }, "ack", 1])(
    "one that returns %j is reported, and the message left",
    async (nonsense) => {
      const { consume, reported } = probe({ middleware: [() => async () => nonsense as never] });
      await expect(consume(deliveryOf())).resolves.toMatchObject({
        kind: "leave",
        envelope: envelopeOf(),
        error: { code: "invalid_argument", argument: "middleware" },
      });
      expect(reported).toHaveLength(1);
    },
  );

  test("one that passes on neither envelope nor refusal is reported, and the message left", async () => {
    const { consume, handled } = probe({
      middleware: [(next) => (received) => next({ ...received, envelope: null })],
    });
    await expect(consume(deliveryOf())).resolves.toMatchObject({ kind: "leave" });
    expect(handled).toEqual([]);
  });
});
