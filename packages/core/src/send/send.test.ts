import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test, vi } from "vitest";
import { deferred } from "../deferred.fixture.js";
import { createEnvelope, defineMessage, InvalidArgumentError } from "../index.js";
import { schemaOf } from "../messages/schemas.fixture.js";
import {
  type CreateSendOptions,
  createSend,
  type Outbound,
  type SendFields,
  type SendMiddleware,
  type SendResult,
} from "../transport.js";

const URN = "urn:babel:orders:created";

interface Fields extends SendFields {
  readonly group?: string;
}

/** A sender whose broker writes down what it takes. */
function sending(options: Partial<CreateSendOptions<Fields>> = {}) {
  const sent: { readonly outbound: Outbound; readonly fields: Fields }[] = [];
  const sender = createSend<Fields>({
    system: "list",
    queue: "orders",
    transmit: (outbound, fields) => {
      sent.push({ outbound, fields });
      return { ok: true };
    },
    ...options,
  });
  const order = () => sent.map(({ outbound }) => outbound.envelope.data["n"]);
  return { sender, sent, order };
}

/** A kind of message whose schema waits for the gate, and then wants a positive `n`. */
function gated() {
  const { promise, resolve } = deferred();
  const definition = defineMessage({
    urn: URN,
    schema: schemaOf(async (value) => {
      await promise;
      return (value as { n: number }).n > 0 ? { value } : { issues: [{ message: "too small" }] };
    }),
  });
  return { definition, open: () => resolve() };
}

const two = [0, 1].map((n) => ({ urn: URN, data: { n } }));

describe("transmit", () => {
  test("gets the message with its address and the options that came with it", async () => {
    const { sender, sent } = sending({ headerLimit: 3 });
    const id = await sender.publish(URN, { n: 1 }, { group: "a", headers: { h: "1" } });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.fields.group).toBe("a");
    expect(sent[0]?.outbound).toMatchObject({
      envelope: { job: URN, data: { n: 1 }, meta: { id, queue: "orders" } },
      headers: { h: "1" },
      system: "list",
      queue: "orders",
      headerLimit: 3,
      traceIdGiven: false,
    });
  });

  test("is told that the caller chose the trace id, unless it is blank", async () => {
    const { sender, sent } = sending();
    for (const traceId of ["t", " ", undefined]) await sender.publish(URN, {}, { traceId });
    expect(sent.map(({ outbound }) => outbound.traceIdGiven)).toEqual([true, false, false]);
  });

  test("gets an envelope as it is, whose trace id counts as given", async () => {
    const { sender, sent } = sending();
    const envelope = createEnvelope(URN, { n: 1 }, { queue: "elsewhere" });
    expect(await sender.publishEnvelope(envelope, {})).toBe(envelope.meta.id);
    expect(sent[0]?.outbound.envelope).toBe(envelope);
    expect(sent[0]?.outbound.traceIdGiven).toBe(true);
  });

  test("fails a message alone, whether it throws, rejects or says so", async () => {
    const failure = new Error("the broker is away");
    const answers: (() => SendResult | Promise<SendResult>)[] = [
      () => ({ ok: true }),
      () => {
        throw failure;
      },
      () => Promise.reject(failure),
      () => ({ ok: false, error: failure }),
      async () => ({ ok: true }),
    ];
    const transmit = ({ envelope }: Outbound) =>
      answers[Number(envelope.data["n"])]?.() ?? { ok: true };
    const { sender } = sending({ transmit });
    const batch = answers.map((_, n) => ({ urn: URN, data: { n } }));
    const results = await sender.publishBatch(batch);
    expect(results.map((result) => (result.ok ? "sent" : result.error))).toEqual([
      "sent",
      ...[failure, failure, failure],
      "sent",
    ]);
    await expect(sender.publish(URN, { n: 1 }, {})).rejects.toBe(failure);
  });

  test("must give a result: one that forgets it fails its message by name", async () => {
    const { sender } = sending({ transmit: () => undefined as never });
    await expect(sender.publish(URN, {}, {})).rejects.toMatchObject({ argument: "transmit" });
  });

  test("may throw what is no Error: it becomes the cause of one", async () => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- as a client might
    const { sender } = sending({ transmit: () => Promise.reject("away") });
    await expect(sender.publish(URN, {}, {})).rejects.toMatchObject({ cause: "away" });
  });
});

describe("a batch has one result a message", () => {
  const misbehaving: readonly (readonly [string, () => unknown])[] = [
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
    ["answers nothing", () => undefined],
    ["answers no list", () => "ab"],
    ["answers too few", () => [{ ok: true }]],
    ["answers too many", () => [{ ok: true }, { ok: true }, { ok: true }]],
    ["answers with holes", () => [undefined, undefined]],
    ["fails without an error", () => [{ ok: false }, { ok: false }]],
  ];

  test.each(misbehaving)("where an inner middleware %s", async (_, answer) => {
    let seen = 0;
    const outer: SendMiddleware = (next) => async (batch) => {
      const results = await next(batch);
      seen = results.length;
      return results;
    };
    const inner = (() => answer) as unknown as SendMiddleware;
    const { sender, sent } = sending({ middleware: [outer, inner] });
    const results = await sender.publishBatch(two);
    expect(seen).toBe(2);
    expect(results).toEqual([0, 1].map(() => ({ ok: false, error: expect.any(Error) })));
    expect(sent).toEqual([]);
  });

  test("where a middleware answers some itself and passes on the others", async () => {
    const refused = new Error("not this one");
    const { sender, order } = sending({
      middleware: [
        (next) => async (batch) => [{ ok: false, error: refused }, ...(await next(batch.slice(1)))],
      ],
    });
    const results = await sender.publishBatch(two);
    expect(results).toMatchObject([{ ok: false, error: refused }, { ok: true }]);
    expect(order()).toEqual([1]);
  });

  test("where some cannot be made: the middleware is not given those", async () => {
    const sizes: number[] = [];
    const count: SendMiddleware = (next) => (batch) => {
      sizes.push(batch.length);
      return next(batch);
    };
    const { sender, order } = sending({ middleware: [count] });
    const results = await sender.publishBatch([
      null as never,
      { urn: URN, data: { n: 1 } },
      { urn: URN, data: { n: 2 }, headers: "none" as never },
      { urn: " ", data: { n: 3 } },
      { urn: URN, data: { n: 4 } },
    ]);
    expect(results.map(({ ok }) => ok)).toEqual([false, true, false, false, true]);
    expect(order()).toEqual([1, 4]);
    expect(await sender.publishBatch([null as never])).toHaveLength(1);
    expect(await sender.publishBatch([])).toEqual([]);
    expect(sizes).toEqual([2]);
  });

  test("and what is no list is refused", async () => {
    const { sender } = sending();
    await expect(sender.publishBatch("ab" as never)).rejects.toThrow(InvalidArgumentError);
  });
});

describe("middleware", () => {
  test("may pass on spread copies: the options ride on them", async () => {
    const { sender, sent } = sending({
      middleware: [
        (next) => (batch) => next(batch.map((one) => ({ ...one, headers: { h: "1" } }))),
      ],
    });
    await sender.publishBatch([
      { urn: URN, data: {}, group: "a" },
      { urn: URN, data: {}, group: "b" },
    ]);
    expect(sent.map(({ fields }) => fields.group)).toEqual(["a", "b"]);
    expect(sent.map(({ outbound }) => outbound.headers)).toEqual([{ h: "1" }, { h: "1" }]);
  });

  test("may not make a message up", async () => {
    const { sender, sent } = sending({
      middleware: [
        (next) => (batch) => next(batch.map((one) => JSON.parse(JSON.stringify(one)) as Outbound)),
      ],
    });
    await expect(sender.publish(URN, {}, {})).rejects.toThrow(InvalidArgumentError);
    expect(sent).toEqual([]);
  });

  test("runs once a call, in the caller's async context, also behind an asynchronous schema", async () => {
    const context = new AsyncLocalStorage<string>();
    const calls: unknown[] = [];
    const watch: SendMiddleware = (next) => (batch) => {
      calls.push([context.getStore(), batch.length]);
      return next(batch);
    };
    const { sender } = sending({ middleware: [watch], ordered: true });
    const { definition, open } = gated();
    const all = [
      context.run("a", () => sender.publish(definition, { n: 1 }, {})),
      context.run("b", () => sender.publish(URN, { n: 2 }, {})),
      context.run("c", () => sender.publishBatch(two)),
    ];
    context.run("gate", open);
    await Promise.all(all);
    expect(calls).toEqual([
      ["a", 1],
      ["b", 1],
      ["c", 2],
    ]);
  });

  test("that makes no function is refused when the sender is made", () => {
    expect(() => sending({ middleware: [() => undefined as never] })).toThrow(InvalidArgumentError);
  });
});

describe("the order of the calls", () => {
  test.each([
    [true, [1, 2, 3]],
    [false, [2, 1, 3]],
  ])("behind an asynchronous schema, ordered: %s", async (ordered, expected) => {
    const { sender, order } = sending({ ordered });
    const { definition, open } = gated();
    const first = sender.publish(definition, { n: 1 }, {});
    const second = sender.publish(URN, { n: 2 }, {});
    if (!ordered) await second;
    open();
    await Promise.all([first, second]);
    await sender.publish(URN, { n: 3 }, {});
    expect(order()).toEqual(expected);
  });

  test("goes on behind a message that does not fit its schema", async () => {
    const { sender, order } = sending({ ordered: true });
    const { definition, open } = gated();
    const first = sender.publish(definition, { n: 0 }, {});
    const second = sender.publish(URN, { n: 1 }, {});
    open();
    await expect(first).rejects.toMatchObject({ code: "invalid_payload" });
    await second;
    expect(order()).toEqual([1]);
  });
});

describe("idle", () => {
  test("has nothing to wait for at first", async () => {
    await expect(sending().sender.idle()).resolves.toBeUndefined();
  });

  test("waits for what is validated, and for what the broker has not answered, but not for later calls", async () => {
    const broker = deferred<SendResult>();
    const later = deferred<SendResult>();
    const transmit = ({ envelope }: Outbound) =>
      envelope.data["n"] === 3 ? later.promise : broker.promise;
    const { sender } = sending({ transmit });
    const { definition, open } = gated();
    const given = [sender.publish(definition, { n: 1 }, {}), sender.publish(URN, { n: 2 }, {})];
    const ended = vi.fn<() => void>();
    const idle = sender.idle().then(ended);
    const after = sender.publish(URN, { n: 3 }, {});
    open();
    await new Promise(setImmediate);
    expect(ended).not.toHaveBeenCalled();
    broker.resolve({ ok: false, error: new Error("away") });
    await idle;
    const ends = await Promise.allSettled(given);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    later.resolve({ ok: true });
    await after;
  });
});
