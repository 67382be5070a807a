import { describe, expect, test } from "vitest";
import {
  bodyText,
  deliveryOf,
  failureOf,
  MESSAGE_ID,
  metaText,
  NATIVE,
  type Native,
  observe,
  SECRET,
  shownBy,
  URN,
} from "../envelope/envelope.fixture.js";
import {
  type Consume,
  createConsume,
  defineMessage,
  type Handler,
  type IdempotencyStore,
  type IdempotentOptions,
  InvalidArgumentError,
  idempotent,
  memoryStore,
  NotRememberedError,
  UrnRouter,
} from "../index.js";
import { failing } from "../messages/schemas.fixture.js";

const handler = (): void => undefined;

/** A store that writes down how it is called. */
function recorder(changes: Partial<IdempotencyStore> = {}) {
  const calls: string[] = [];
  const ids = new Set<string>();
  const store: IdempotencyStore = {
    async seen(id) {
      calls.push(`seen ${id}`);
      return ids.has(id);
    },
    async remember(id) {
      calls.push(`remember ${id}`);
      ids.add(id);
    },
    async forget(id) {
      calls.push(`forget ${id}`);
      ids.delete(id);
    },
    ...changes,
  };
  return { store, calls };
}

function consumer(
  handle: Handler,
  store: IdempotencyStore,
  options: IdempotentOptions<Native> = {},
): { consume: Consume<Native>; reported: unknown[][] } {
  const reported: unknown[][] = [];
  const router = new UrnRouter<Native>().on(URN, idempotent(handle, store, options));
  const consume = createConsume<Native>(router, {
    deadLetters: true,
    onError: (...call) => reported.push(call),
  });
  return { consume, reported };
}

const withId = (id: string | undefined) =>
  deliveryOf({ body: bodyText({ meta: metaText({ id }) }) });

describe("a message that was handled", () => {
  test.each([
    ["a store that is asynchronous", recorder().store],
    ["a store that is not", memoryStore()],
  ])("is skipped and acknowledged, with %s", async (_, store) => {
    let handled = 0;
    const { consume, reported } = consumer(() => (handled += 1), store);
    for (let deliveries = 0; deliveries < 3; deliveries += 1) {
      await expect(consume(deliveryOf())).resolves.toMatchObject({ kind: "ack" });
    }
    await consume(withId('"another"'));
    expect(handled).toBe(2);
    await store.forget(MESSAGE_ID);
    await consume(deliveryOf());
    expect(handled).toBe(3);
    expect(reported).toEqual([]);
  });

  test("is remembered once its handler has succeeded, and not before", async () => {
    const { store, calls } = recorder();
    const { consume } = consumer(async () => {
      calls.push("handling");
      await Promise.resolve();
      calls.push("handled");
    }, store);
    await consume(deliveryOf());
    await consume(deliveryOf());
    const seen = `seen ${MESSAGE_ID}`;
    expect(calls).toEqual([seen, "handling", "handled", `remember ${MESSAGE_ID}`, seen]);
  });

  test("is known by its id as it is, and by nothing else", async () => {
    const { store, calls } = recorder();
    const { consume } = consumer(() => undefined, store);
    await consume(withId('" x "'));
    await consume(withId('"x"'));
    expect(calls).toEqual(["seen  x ", "remember  x ", "seen x", "remember x"]);
  });
});

test.each([
  ["throws", () => Promise.reject(new Error("not yet"))],
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors
  ["throws undefined", () => Promise.reject()],
])("a handler that %s leaves the message unmarked", async (_, fail) => {
  const { store, calls } = recorder();
  let deliveries = 0;
  const { consume } = consumer(() => {
    deliveries += 1;
    return deliveries < 3 ? fail() : undefined;
  }, store);
  const kinds: string[] = [];
  for (let round = 0; round < 4; round += 1) kinds.push((await consume(deliveryOf())).kind);
  expect(kinds).toEqual(["release", "release", "ack", "ack"]);
  expect(deliveries).toBe(3);
  expect(calls.filter((call) => !call.startsWith("seen"))).toEqual([`remember ${MESSAGE_ID}`]);
});

test.each<[string, string | undefined]>([
  ["none", undefined],
  ["an empty one", '""'],
  ["a blank one", '" \\t"'],
  ["null", "null"],
  ["a number", "7"],
  ["an object", '{"id":"x"}'],
])("a message whose id is not usable (%s) is handled each time", async (_, id) => {
  const { store, calls } = recorder();
  let handled = 0;
  const { consume } = consumer(() => (handled += 1), store);
  await expect(consume(withId(id))).resolves.toMatchObject({ kind: "ack" });
  await consume(withId(id));
  expect(handled).toBe(2);
  expect(calls).toEqual([]);
});

test("the handler gets what it would get, and its result comes back", async () => {
  const given: unknown[][] = [];
  const wrapped = idempotent<object, Native>((...call) => {
    given.push(call);
    return "result";
  }, memoryStore());
  const context = { headers: {}, signal: new AbortController().signal };
  const envelope = { meta: { id: "a" } } as never;
  await expect(wrapped(envelope, NATIVE, context)).resolves.toBe("result");
  await expect(wrapped(envelope, NATIVE, context)).resolves.toBeUndefined();
  expect(given).toEqual([[envelope, NATIVE, context]]);
});

test("a payload that does not fit its schema does not reach the store", async () => {
  const { store, calls } = recorder();
  const definition = defineMessage({ urn: URN, schema: failing({}) });
  const router = new UrnRouter<Native>().on(
    definition,
    idempotent(() => undefined, store),
  );
  const consume = createConsume<Native>(router, { deadLetters: true, onError: () => undefined });
  await expect(consume(deliveryOf())).resolves.toMatchObject({ kind: "dead-letter" });
  expect(calls).toEqual([]);
});

describe("a store that fails", () => {
  const cause = new Error(`connect ECONNREFUSED ${SECRET}`);
  const failures: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw cause;
      },
    ],
    ["rejects", () => Promise.reject(cause)],
  ];

  test.each(failures)("and %s in seen has the message tried again, unhandled", async (_, fail) => {
    const { store, calls } = recorder({ seen: fail as () => boolean });
    let handled = 0;
    const { consume, reported } = consumer(() => (handled += 1), store);
    await expect(consume(deliveryOf())).resolves.toMatchObject({ kind: "release", error: cause });
    expect(reported).toMatchObject([[cause, { job: URN }, NATIVE]]);
    expect(handled).toBe(0);
    expect(calls).toEqual([]);
  });

  test.each(failures)(
    "and %s in remember has the message acknowledged, and says so",
    async (_, fail) => {
      const told: unknown[][] = [];
      const { store } = recorder({ remember: fail });
      const { consume, reported } = consumer(() => undefined, store, {
        onError: (...call) => told.push(call),
      });
      await expect(consume(deliveryOf())).resolves.toMatchObject({ kind: "ack" });
      expect(reported).toEqual([]);
      expect(told).toMatchObject([[expect.any(NotRememberedError), { job: URN }, NATIVE]]);
      expect(told[0]?.[0]).toMatchObject({ code: "not_remembered", id: MESSAGE_ID, cause });
    },
  );

  test("warns the process where there is no onError, and where that fails", async () => {
    for (const onError of [undefined, () => Promise.reject(cause)]) {
      const { store } = recorder({ remember: () => Promise.reject(cause) });
      const { consume } = consumer(() => undefined, store, { onError });
      const { result, warnings, unhandled } = await observe(() => consume(deliveryOf()));
      expect(result.kind).toBe("ack");
      expect(warnings.at(-1)).toMatchObject({ code: "not_remembered" });
      expect(warnings.at(-1)?.message).toContain(MESSAGE_ID);
      expect(warnings.map(shownBy).join()).not.toContain(SECRET);
      expect(unhandled).toEqual([]);
    }
  });
});

test("an id of any length makes a short message", () => {
  expect(new NotRememberedError("x".repeat(1e6), {}).message.length).toBeLessThan(300);
});

test("two deliveries at the same time are both handled: there is no lock", async () => {
  let handled = 0;
  const { consume } = consumer(async () => (handled += 1), recorder().store);
  await Promise.all([consume(deliveryOf()), consume(deliveryOf())]);
  expect(handled).toBe(2);
});

describe("what cannot be meant is refused at once", () => {
  test.each<[string, unknown, string]>([
    ["no store", undefined, "functions seen, remember, forget"],
    ["null", null, "functions seen, remember, forget"],
    ["a Set", new Set(), "functions seen, remember, forget"],
    ["a store that cannot forget", { seen: handler, remember: handler }, "functions forget"],
  ])("%s", (_, store, said) => {
    const error = failureOf(() => idempotent(handler, store as IdempotencyStore));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument: "store" });
    expect(error.message).toContain(said);
  });

  test("no handler", () => {
    const error = failureOf(() => idempotent(undefined as never, memoryStore()));
    expect(error).toMatchObject({ argument: "handler" });
  });
});
