import { type OpenHarness, transportCases } from "@babelqueue/core/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SqsConsumer, SqsPublisher } from "./index.js";
import { type Attributes, nameOf, passSeconds, SERVERS, type Server } from "./servers.fixture.js";

const VISIBILITY_TIMEOUT_SECONDS = 30;

/** Hooks that fail become process warnings, which are for users to read and not for this test. */
const listeners = process.listeners("warning");
beforeAll(() => void process.removeAllListeners("warning"));
afterAll(() => {
  for (const listener of listeners) process.on("warning", listener);
});

const textAttributes = (headers: Readonly<Record<string, string>>): Attributes =>
  Object.fromEntries(
    Object.entries(headers).map(([name, StringValue]) => [
      name,
      { DataType: name === "bq-schema-version" ? "Number" : "String", StringValue },
    ]),
  );

const harnessOf =
  (server: Server): OpenHarness =>
  async ({ fifo }) => {
    const { client } = server;
    const kind = fifo ? "fifo" : "standard";
    const timeout = { VisibilityTimeout: String(VISIBILITY_TIMEOUT_SECONDS) };
    const url = await server.createQueue(kind, timeout);
    const deadLetterQueueUrl = await server.createQueue(kind);
    const publisher = new SqsPublisher(client, url);
    return {
      queue: nameOf(url),
      publish: (urn, data, options) => publisher.publish(urn, data, options),
      publisher: (middleware) => new SqsPublisher(client, url, { middleware }),
      sendRaw: async (body, headers) => void (await server.put(url, body, textAttributes(headers))),
      consumer: (routes, { deadLetters, ...options }) =>
        new SqsConsumer(client, url, routes, {
          ...options,
          ...(deadLetters && { deadLetterQueueUrl }),
          waitTimeSeconds: 0,
          settleLingerMs: 0,
        }),
      pending: () => server.total(url),
      returnLeft: async () => passSeconds(VISIBILITY_TIMEOUT_SECONDS + 1),
      elapse: async (seconds) => passSeconds(seconds),
      readDeadLetters: async () =>
        (await server.letters(deadLetterQueueUrl)).map(({ body = "", attributes }) => ({
          body,
          headers: Object.fromEntries(
            Object.entries(attributes).map(([name, { StringValue = "" }]) => [name, StringValue]),
          ),
        })),
      dispose: async () => void vi.useRealTimers(),
    };
  };

describe.each(SERVERS)("SQS on $name", (server) => {
  const capabilities = { headers: true, delay: true, fifo: true, publisher: true };
  const cases = transportCases(harnessOf(server), capabilities);
  // fauxqs takes a surrogate pair for two characters, and refuses them
  test.each(
    cases.filter(
      ({ name }) => server.name !== "fauxqs" || name !== "characters beyond U+FFFF arrive",
    ),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
