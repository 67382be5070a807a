import { describe, expect, test } from "vitest";
import {
  bodyText,
  deliveryOf,
  envelopeOf,
  NATIVE,
  type Native,
  observe,
  probe,
} from "../envelope/envelope.fixture.js";
import type { ConsumeOptions } from "../index.js";

const FAILURE = new Error("no stock");
const throwing = (): never => {
  throw FAILURE;
};

describe("hooks that fail never matter", () => {
  const HOOKS: [string, () => unknown][] = [
    ["throws", throwing],
    ["rejects", () => Promise.reject(FAILURE)],
  ];
  const unknownUrn = deliveryOf({ body: bodyText({ job: '"urn:unknown"' }) });

  test.each(HOOKS)(
    "onError %s: outcomes are as ever, and nothing is unhandled",
    async (_, onError) => {
      const { consume } = probe({ onError }, throwing);
      const deliveries = [deliveryOf(), deliveryOf({ body: "{" }), unknownUrn];
      const { result, unhandled, warnings } = await observe(() =>
        Promise.all(deliveries.map(consume)),
      );
      expect(result.map(({ kind }) => kind)).toEqual(["release", "leave", "leave"]);
      expect(warnings.filter(({ code }) => code === "hook_failed")).toHaveLength(3);
      expect(unhandled).toEqual([]);
    },
  );

  test.each(HOOKS)("onUnknownUrn %s: reported, and the message left", async (_, onUnknownUrn) => {
    const { consume, reported } = probe({ onUnknownUrn });
    const { result, unhandled } = await observe(() => consume(unknownUrn));
    const envelope = envelopeOf({ job: "urn:unknown" });
    expect(result).toEqual({ kind: "leave", envelope, error: FAILURE });
    expect(reported).toEqual([[FAILURE, envelope, NATIVE]]);
    expect(unhandled).toEqual([]);
  });

  test.each([null, 0, "", "x", {}])(
    "onUnknownUrn %j, no function: left, and reported",
    async (no) => {
      const { consume, reported } = probe({ onUnknownUrn: no as never });
      await expect(consume(unknownUrn)).resolves.toMatchObject({ kind: "leave" });
      expect(reported).toHaveLength(1);
    },
  );

  test("onUnknownUrn throwing undefined: an Error with it as cause", async () => {
    const { consume, reported } = probe({ onUnknownUrn: () => Promise.reject(undefined) }); // oxlint-disable-line typescript/prefer-promise-reject-errors
    const outcome = await consume(unknownUrn);
    expect(outcome).toMatchObject({ kind: "leave", error: { cause: undefined } });
    expect(reported[0]?.[0]).toBeUndefined();
  });

  test("onUnknownUrn is awaited before the message is dropped", async () => {
    let isDone = false;
    const onUnknownUrn = async (): Promise<void> => {
      await Promise.resolve();
      isDone = true;
    };
    await expect(probe({ onUnknownUrn }).consume(unknownUrn)).resolves.toMatchObject({
      kind: "drop",
    });
    expect(isDone).toBe(true);
  });
});

/** Throws at whatever is done with it, `instanceof` too. */
function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test.each<[string, Partial<ConsumeOptions<Native>>, () => unknown, string]>([
  ["handler", {}, () => Promise.reject(revoked()), "release"], // oxlint-disable-line typescript/prefer-promise-reject-errors
  ["middleware", { middleware: [() => () => Promise.reject(revoked())] }, throwing, "leave"], // oxlint-disable-line typescript/prefer-promise-reject-errors
  ["delay", { releaseDelaySeconds: () => revoked() as never }, throwing, "release"],
])("what nobody can look at, from a %s, breaks nothing", async (_, options, handler, kind) => {
  const { consume } = probe({ ...options, onError: undefined }, handler);
  const { result, unhandled } = await observe(() => consume(deliveryOf()));
  expect(result).toMatchObject({ kind, error: expect.any(Error) });
  expect(unhandled).toEqual([]);
});
