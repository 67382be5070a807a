import { describe, expect, test } from "vitest";
import {
  bodyText,
  deliveryOf,
  envelopeOf,
  NATIVE,
  observe,
  probe,
  SECRET,
  shownBy,
} from "./envelope/envelope.fixture.js";
import { createReporter, UnknownUrnError } from "./index.js";

const WARNING = { code: "odd", message: "Something was odd.", pointer: "/odd" };
const throwing = (): never => {
  throw new Error(SECRET);
};
const rejecting = async (): Promise<never> => throwing();
const throwingUndefined = (): never => {
  throw undefined; // oxlint-disable-line typescript/only-throw-error
};
const thenable = (): unknown => ({
  // oxlint-disable-next-line unicorn/no-thenable
  get then(): never {
    throw new Error(SECRET);
  },
});
const BROKEN: [string, () => unknown][] = [
  ["throws", throwing],
  ["rejects", rejecting],
  ["throws undefined", throwingUndefined],
  ["returns a broken thenable", thenable],
];

describe("onError", () => {
  test.each([
    ["an Error", new Error("x")],
    ["undefined", undefined],
    ["a string", "x"],
  ])("is told of %s as it was thrown, with envelope and message", async (_, thrown) => {
    const calls: unknown[][] = [];
    const reporter = createReporter({ onError: (...call) => calls.push(call) });
    const envelope = envelopeOf();
    await reporter.error(thrown, envelope, NATIVE);
    await reporter.error(thrown, null, null);
    expect(calls).toEqual([
      [thrown, envelope, NATIVE],
      [thrown, null, null],
    ]);
  });

  test("is awaited", async () => {
    const order: string[] = [];
    const onError = async (): Promise<void> => {
      await Promise.resolve();
      order.push("hook");
    };
    await createReporter({ onError }).error(new Error("x"), null, null);
    order.push("after");
    expect(order).toEqual(["hook", "after"]);
  });

  test.each(BROKEN)("that %s becomes a warning, beside what it was told", async (_, onError) => {
    const { warnings, unhandled } = await observe(() =>
      createReporter({ onError }).error(new UnknownUrnError("urn:a"), null, null),
    );
    expect(warnings).toMatchObject([
      {
        name: "BabelQueueWarning",
        code: "hook_failed",
        message: expect.stringContaining("onError"),
      },
      { name: "BabelQueueWarning", code: "unknown_urn", message: expect.stringContaining("urn:a") },
    ]);
    expect(warnings.map(shownBy).join()).not.toContain(SECRET);
    expect(unhandled).toEqual([]);
  });
});

describe("without onError", () => {
  test.each([
    [
      "an error of ours, in full",
      new UnknownUrnError("urn:a"),
      "unknown_urn",
      /UnknownUrnError: .*urn:a/,
    ],
    ["another error, by its name", new TypeError(SECRET), "handler_failed", /TypeError was thrown/],
    ["a string, as no Error", SECRET, "handler_failed", /no Error was thrown/],
    ["undefined, as no Error", undefined, "handler_failed", /no Error was thrown/],
  ])("a process warning tells of %s", async (_, thrown, code, message) => {
    const { warnings } = await observe(() => createReporter({}).error(thrown, null, null));
    expect(warnings).toMatchObject([{ name: "BabelQueueWarning", code }]);
    expect(warnings[0]?.message).toMatch(message);
    expect(shownBy(warnings[0])).not.toContain(SECRET);
  });

  /** An error that throws itself when it is looked at. */
  const hostile = Object.defineProperty(new Error("x"), "name", {
    get(): never {
      throw hostile;
    },
  });

  test("an error that cannot be looked at breaks no reporter", async () => {
    const { warnings } = await observe(() => createReporter({}).error(hostile, null, null));
    expect(warnings).toMatchObject([{ code: "handler_failed" }]);
  });

  test("an error that cannot be looked at breaks no consumer", async () => {
    const { consume } = probe({ onError: undefined }, () => {
      throw hostile;
    });
    const { result } = await observe(() => consume(deliveryOf()));
    expect(result).toMatchObject({ kind: "release" });
  });
});

describe("onWarning", () => {
  test("is told the warning", () => {
    const told: unknown[] = [];
    createReporter({ onWarning: (warning) => told.push(warning) }).warning(WARNING);
    expect(told).toEqual([WARNING]);
  });

  test("that is missing is a process warning", async () => {
    const { warnings } = await observe(() => {
      createReporter({}).warning(WARNING);
    });
    expect(warnings).toMatchObject([
      { name: "BabelQueueWarning", code: "odd", message: "Something was odd." },
    ]);
  });

  test.each(BROKEN)(
    "that %s becomes a warning, and the message is handled",
    async (_, onWarning) => {
      const { consume, handled } = probe({ onWarning });
      const delivery = deliveryOf({ body: bodyText({ timestamp: "1" }) });
      const { result, warnings, unhandled } = await observe(() => consume(delivery));
      expect(result).toEqual({ kind: "ack", envelope: envelopeOf() });
      expect(handled).toHaveLength(1);
      expect(warnings).toMatchObject([
        { code: "hook_failed", message: expect.stringContaining("onWarning") },
      ]);
      expect(warnings.map(shownBy).join()).not.toContain(SECRET);
      expect(unhandled).toEqual([]);
    },
  );
});
