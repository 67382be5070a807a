import { afterAll, beforeAll, expect, test } from "vitest";
import { type SuiteConsumerOptions, type TransportHarness, transportCases } from "./index.js";
import { openMemory } from "./memory.fixture.js";

/*
 * A suite is worth what it catches: each of these transports has one fault, and a case must say so.
 */

const listeners = process.listeners("warning");
beforeAll(() => void process.removeAllListeners("warning"));
afterAll(() => {
  for (const listener of listeners) process.on("warning", listener);
});

type Fault = (harness: TransportHarness) => Partial<TransportHarness>;

/** A consumer whose options are not those that were asked for. */
const consuming =
  (change: (options: SuiteConsumerOptions) => Partial<SuiteConsumerOptions>): Fault =>
  (harness) => ({
    consumer: (routes, options) => harness.consumer(routes, { ...options, ...change(options) }),
  });

const FAULTS: Readonly<Record<string, Fault>> = {
  "never delivers": () => ({ consumer: () => ({ poll: async () => 0, stop: async () => 0 }) }),
  "does not bring back what failed": consuming(() => ({ releaseDelaySeconds: 40_000 })),
  "does not bring back what was left": () => ({ returnLeft: async () => undefined }),
  "keeps what was acknowledged": () => ({ pending: async () => 1 }),
  "never counts attempts": (harness) => ({
    consumer: (routes, options) => {
      const handlerFor: typeof routes.handlerFor = (urn) => {
        const handler = routes.handlerFor(urn);
        return handler && ((envelope, ...rest) => handler({ ...envelope, attempts: 0 }, ...rest));
      };
      return harness.consumer({ handlerFor }, options);
    },
  }),
  "rounds integers": consuming(() => ({ largeIntegers: "number" })),
  "loses the headers": (harness) => ({
    publish: (urn, data, options) => harness.publish(urn, data, { ...options, headers: {} }),
  }),
  "loses bq-schema-version": (harness) => ({ sendRaw: (body) => harness.sendRaw(body, {}) }),
  "ignores delays": (harness) => ({
    publish: (urn, data, options) => harness.publish(urn, data, { ...options, delaySeconds: 0 }),
  }),
  "ignores the delay of a release": consuming(() => ({ releaseDelaySeconds: 0 })),
  "keeps no order": (harness) => ({
    publish: (urn, data, options) =>
      harness.publish(urn, data, { ...options, messageGroupId: crypto.randomUUID() }),
  }),
  "has no dead letters": () => ({ readDeadLetters: async () => [] }),
  "writes dead letters anew": (harness) => ({
    readDeadLetters: async () =>
      (await harness.readDeadLetters()).map(({ body, headers }) => ({
        body: body.replace("99.90", "99.9"),
        headers,
      })),
  }),
  "writes dead letters without headers": (harness) => ({
    readDeadLetters: async () =>
      (await harness.readDeadLetters()).map(({ body }) => ({ body, headers: {} })),
  }),
  "always writes dead letters": consuming(() => ({ deadLetters: true })),
  "ignores the strategy": consuming(() => ({ unknownUrnStrategy: undefined })),
  "ignores onUnknownUrn": consuming(() => ({ onUnknownUrn: undefined })),
  "reports nothing": consuming(() => ({ onError: () => undefined })),
  "reports twice": consuming(({ onError }) => ({
    onError: (...report) => {
      onError?.(...report);
      onError?.(...report);
    },
  })),
  "calls its queue by another name": () => ({ queue: "other" }),
};

const CAPABILITIES = { headers: true, delay: true, fifo: true };

test.each(Object.entries(FAULTS))("the suite finds a transport that %s", async (_, fault) => {
  const cases = transportCases(async (needs) => {
    const harness = await openMemory(needs);
    return { ...harness, ...fault(harness) };
  }, CAPABILITIES);
  const results = await Promise.allSettled(cases.map(({ run }) => run()));
  const reasons = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  expect(reasons).not.toEqual([]);
  for (const reason of reasons) expect(reason).toEqual(expect.any(Error));
});
