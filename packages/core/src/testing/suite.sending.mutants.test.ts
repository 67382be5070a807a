import { expect, test } from "vitest";
import type { Outbound, Send, SendMiddleware } from "../send/outbound.js";
import {
  type SuiteBatchMessage,
  type SuitePublisher,
  type TransportHarness,
  transportCases,
} from "./index.js";
import { openMemory } from "./memory.fixture.js";
import { pause } from "./stage.js";

/*
 * Each case of sending finds the transport that gets wrong what it is about.
 */

type Open = NonNullable<TransportHarness["publisher"]>;
/** A faulty way to open a publisher, made of a right one. */
type Fault = (open: Open) => Open;

/** The publisher's middleware is run by hand: nothing looks at what it answers. */
const unguarded =
  (around: SendMiddleware): Fault =>
  (open) =>
  (middleware) =>
    open([(send) => around(middleware.reduceRight<Send>((next, wrap) => wrap(next), send))]);

/** What is sent is what the middleware was given at first, whatever it made of that. */
const unchanging: Fault = (open) => (middleware) => {
  let given: readonly Outbound[] = [];
  const remember: SendMiddleware = (next) => (batch) => {
    given = batch;
    return next(batch);
  };
  return open([remember, ...middleware, (next) => () => next(given)]);
};

/** The publisher answers or sends in another way. */
const wrapped =
  (change: (publisher: SuitePublisher) => Partial<SuitePublisher>): Fault =>
  (open) =>
  (middleware) => {
    const publisher = open(middleware);
    return {
      publish: publisher.publish.bind(publisher),
      publishBatch: (messages) => publisher.publishBatch(messages),
      ...change(publisher),
    };
  };

const urnOf = (message: SuiteBatchMessage["urn"]): string =>
  typeof message === "string" ? message : message.urn;

const FAULTS: readonly (readonly [fault: string, of: string, Fault])[] = [
  [
    "lets a middleware reject to the outer one",
    "an inner middleware throws: the outer one sees failed results, publish rejects with it",
    unguarded((next) => next),
  ],
  [
    "takes no answer for a success",
    "a middleware that answers nothing fails what it was given",
    unguarded((next) => async (batch) => {
      const results: unknown = await next(batch);
      return Array.isArray(results) ? results : batch.map(() => ({ ok: true }));
    }),
  ],
  [
    "fills up what is missing of an answer",
    "a middleware that answers too few results fails what it was given",
    unguarded((next) => async (batch) => {
      const results = await next(batch);
      return batch.map((_, index) => results[index] ?? { ok: true });
    }),
  ],
  [
    "sends what it was given at first, whatever a middleware makes up",
    "a middleware that makes up a message fails it",
    unchanging,
  ],
  [
    "loses what a middleware changed",
    "what a middleware changes in a spread copy of a message arrives",
    unchanging,
  ],
  [
    "answers a batch in another order",
    "a batch has one result a message in order, also where one is refused",
    wrapped((publisher) => ({
      publishBatch: async (messages) => {
        const { results } = await publisher.publishBatch(messages);
        return { results: [...results].reverse() };
      },
    })),
  ],
  [
    "fails a whole batch for one message",
    "a batch has one result a message in order, also where one is refused",
    wrapped((publisher) => ({
      publishBatch: async (messages) => {
        const { results } = await publisher.publishBatch(messages);
        for (const result of results) if (!result.ok) throw result.error;
        return { results };
      },
    })),
  ],
  [
    "calls the middleware for each message of a batch",
    "a batch has one result a message in order, also where one is refused",
    wrapped((publisher) => ({
      publishBatch: async (messages) => {
        const all = await Promise.all(messages.map((one) => publisher.publishBatch([one])));
        return { results: all.flatMap(({ results }) => results) };
      },
    })),
  ],
  [
    "takes every trace id for the caller's",
    "a middleware is told whether the caller chose the trace id; a blank one is none",
    (open) => (middleware) =>
      open([
        (next) => (batch) => next(batch.map((one) => ({ ...one, traceIdGiven: true }))),
        ...middleware,
      ]),
  ],
  [
    "looks at no schema",
    "a definition with an asynchronous schema: what fits is sent, what does not is refused",
    wrapped((publisher) => ({
      publish: (message: SuiteBatchMessage["urn"], data: object, options?: object) =>
        publisher.publish(urnOf(message), data, options),
    })),
  ],
  [
    "lets what is ready overtake what is validated",
    "FIFO: messages go out in the order of the calls, also behind an asynchronous schema",
    wrapped((publisher) => ({
      publish: async (message: SuiteBatchMessage["urn"], data: object, options?: object) => {
        if (typeof message !== "string") await pause(5);
        return publisher.publish(urnOf(message), data, options);
      },
    })),
  ],
];

const CAPABILITIES = { fifo: true, publisher: true };

test.each(FAULTS)("the suite finds a publisher that %s", async (_, caseName, fault) => {
  const cases = transportCases(async (needs) => {
    const harness = await openMemory(needs);
    const open: Open = (middleware) => {
      if (harness.publisher === undefined) throw new Error("It has a publisher");
      return harness.publisher(middleware);
    };
    return { ...harness, publisher: fault(open) };
  }, CAPABILITIES);
  const found = cases.find(({ name }) => name === caseName);
  // what the case says, or what the transport failed with
  await expect(found?.run()).rejects.toThrow(/: expected |non-blank URN/);
});

test("each case of sending has such a fault", () => {
  const without = new Set(transportCases(openMemory, { fifo: true }).map(({ name }) => name));
  const names = transportCases(openMemory, CAPABILITIES).map(({ name }) => name);
  const sendingNames = names.filter((name) => !without.has(name));
  expect(sendingNames).toEqual([...new Set(FAULTS.map(([, of]) => of))]);
});

test("a harness that says it has a publisher and has none fails the cases of sending", async () => {
  const cases = transportCases(async (needs) => {
    const harness = { ...(await openMemory(needs)) };
    delete harness.publisher;
    return harness;
  }, CAPABILITIES);
  const found = cases.find(({ name }) => name === FAULTS[0]?.[1]);
  await expect(found?.run()).rejects.toThrow("needs a harness that has `publisher`");
});
