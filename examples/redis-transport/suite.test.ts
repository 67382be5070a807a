import { randomUUID } from "node:crypto";
import { type OpenHarness, transportCases } from "@babelqueue/core/testing";
import type { RedisClientType } from "@redis/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RedisConsumer } from "./consumer.mjs";
import { RedisPublisher } from "./publisher.mjs";
import { RedisServer, whySkipped } from "./redis-server.fixture.js";

if (whySkipped !== undefined) console.log(`The Redis transport is not tested: ${whySkipped}`);

describe.skipIf(whySkipped !== undefined)("the Redis transport", () => {
  let server: RedisServer;
  let client: RedisClientType;
  /** Hooks that fail become process warnings, which are for users to read and not for this test. */
  const listeners = process.listeners("warning");

  beforeAll(async () => {
    process.removeAllListeners("warning");
    server = await RedisServer.start();
    client = server.client();
    await client.connect();
  });
  afterAll(async () => {
    for (const listener of listeners) process.on("warning", listener);
    client.destroy();
    await server.close();
  });

  const open: OpenHarness = async () => {
    const queue = `orders-${randomUUID()}`;
    const publisher = new RedisPublisher(client, queue);
    return {
      queue,
      publish: (urn, data, options) => publisher.publish(urn, data, options),
      publisher: (middleware) => new RedisPublisher(client, queue, { middleware }),
      sendRaw: async (body) => void (await client.rPush(queue, body)),
      consumer: (routes, options) =>
        new RedisConsumer(client, queue, routes, { ...options, name: "a", waitSeconds: 0.01 }),
      pending: async () =>
        (await client.lLen(queue)) + (await client.lLen(`${queue}:processing:a`)),
      // a consumer that is started finds what an earlier one of its name left
      returnLeft: async () => undefined,
      readDeadLetters: async () =>
        (await client.lRange(`${queue}-dlq`, 0, -1)).map((body) => ({ body, headers: {} })),
      dispose: async () => undefined,
    };
  };

  test.each(transportCases(open, { publisher: true }))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
