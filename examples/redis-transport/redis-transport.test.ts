import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createEnvelope, type Envelope, encodeEnvelope, UrnRouter } from "@babelqueue/core";
import type { RedisClientType } from "@redis/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RedisConsumer } from "./consumer.mjs";
import { RedisPublisher } from "./publisher.mjs";
import { RedisServer, whySkipped } from "./redis-server.fixture.js";

const run = promisify(execFile);
const URN = "urn:babel:orders:created";
const CONTRACT =
  `{"job":"${URN}","trace_id":"7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b","data":{"price":99.90},` +
  '"meta":{"id":"m-1","queue":"orders","lang":"php","schema_version":1,"created_at":1},"attempts":0}';

const NO_UTF8 = Buffer.from([0x7b, 0xff, 0xfe, 0x00]);

/** Waits until it comes true. */
async function until(isTrue: () => boolean): Promise<void> {
  await expect.poll(isTrue, { timeout: 20_000, interval: 10 }).toBe(true);
}

/** The text of a file of the example. */
function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), "utf8");
}

/** However deep the code is indented. */
function unindent(code: string): string {
  return code.replaceAll(/^ +/gm, "");
}

test("the code in the README is that of the transport, which has less than 190 lines", () => {
  const source = read("publisher.mjs") + read("consumer.mjs");
  const fenced = read("README.md").split(/^```/m);
  const excerpts = fenced.filter((text) => text.startsWith("js\n")).map((text) => text.slice(3));
  expect(excerpts.length).toBe(3);
  for (const excerpt of excerpts) expect(unindent(source)).toContain(unindent(excerpt));
  expect(source.split("\n").length).toBeLessThan(190);
});

describe.skipIf(whySkipped !== undefined)(`Redis lists (${whySkipped ?? "a server"})`, () => {
  let server: RedisServer;
  let client: RedisClientType;
  const handled: Envelope[] = [];
  const errors: unknown[] = [];
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

  beforeAll(async () => {
    process.on("unhandledRejection", onUnhandled);
    server = await RedisServer.start({ isPersistent: true });
    client = server.client();
    await client.connect();
  });
  beforeEach(async () => {
    for (const list of [handled, errors, unhandled]) list.splice(0);
    await client.flushAll();
  });
  afterAll(async () => {
    process.off("unhandledRejection", onUnhandled);
    client.destroy();
    await server.close();
  });

  const consumer = (
    handle: (envelope: Envelope) => unknown = () => undefined,
    own: RedisClientType = client,
  ): RedisConsumer => {
    const routes = new UrnRouter().on(URN, (envelope) => {
      handled.push(envelope);
      return handle(envelope);
    });
    return new RedisConsumer(own, "orders", routes, {
      name: "a",
      deadLetters: true,
      waitSeconds: 0.05,
      onError: (error) => void errors.push(error),
    });
  };
  const processing = (): Promise<string[]> => client.lRange("orders:processing:a", 0, -1);

  test("an element is the envelope, byte for byte, published and received", async () => {
    const envelopes: Envelope[] = [];
    const publisher = new RedisPublisher(client, "orders", {
      middleware: [
        (next) => (batch) => {
          envelopes.push(...batch.map(({ envelope }) => envelope));
          return next(batch);
        },
      ],
    });
    const id = await publisher.publish(URN, { order_id: 2n ** 63n - 1n }, { traceId: "t" });
    const [envelope] = envelopes;
    expect(envelope?.meta.id).toBe(id);
    expect(await client.lRange("orders", 0, -1)).toEqual([envelope && encodeEnvelope(envelope)]);

    await client.lPush("orders", CONTRACT);
    const seen: string[] = [];
    const routes = new UrnRouter<Buffer>().on(URN, (_, element) => seen.push(element.toString()));
    const polled = new RedisConsumer(client, "orders", routes, { name: "a", maxMessages: 1 });
    expect(await polled.poll()).toBe(1);
    await polled.stop();
    expect(seen).toEqual([CONTRACT]);
  });

  test("a publish has keys of its own in meta, and a trace id that counts as given", async () => {
    const given: [string, boolean][] = [];
    const publisher = new RedisPublisher(client, "orders", {
      middleware: [
        (next) => (batch) => {
          given.push(
            ...batch.map((out): [string, boolean] => [out.envelope.trace_id, out.traceIdGiven]),
          );
          return next(batch);
        },
      ],
    });
    const meta = { ext: { acme: { tier: 1 } } };
    await publisher.publish(URN, {}, { meta, traceId: " \v7b3f\u00A0\t" });
    await publisher.publish(URN, {}, { traceId: "\n" });
    expect(given).toEqual([
      ["7b3f\u00A0", true],
      [expect.any(String), false],
    ]);
    const [element = ""] = await client.lRange("orders", 0, -1);
    expect(element.endsWith(',"ext":{"acme":{"tier":1}}},"attempts":0}')).toBe(true);
    await expect(publisher.publish(URN, {}, { meta: { id: "x" } })).rejects.toThrow(
      "its key id is",
    );
    const lossy = publisher.publish(URN, {}, { meta: { ext: Number.NaN } });
    await expect(lossy).rejects.toThrow("/meta/ext");
    expect(await client.lLen("orders")).toBe(2);
  });

  test("what is in hand is in the processing list, and goes when it is acknowledged", async () => {
    await client.rPush("orders", CONTRACT);
    let inHand: string[] = [];
    const polled = consumer(async () => {
      inHand = await processing();
    });
    await polled.poll();
    await polled.stop();
    expect(inHand).toEqual([CONTRACT]);
    expect(await processing()).toEqual([]);
  });

  test("what comes back differs in its attempts alone", async () => {
    await client.rPush("orders", CONTRACT);
    const polled = consumer(() => {
      throw new Error("not yet");
    });
    await polled.poll();
    await polled.stop();
    const amended = CONTRACT.replace('"attempts":0', '"attempts":1');
    expect(await client.lRange("orders", 0, -1)).toEqual([amended]);
  });

  test("bytes that are no UTF-8 go to the dead-letter list as they came", async () => {
    await client.rPush("orders", NO_UTF8);
    const polled = consumer();
    await polled.poll();
    await polled.stop();
    expect(await polled.client.lRange("orders-dlq", 0, -1)).toEqual([NO_UTF8]);
    expect(await processing()).toEqual([]);
  });

  test("a consumer recovers what a crashed one of its name left, with its count", async () => {
    await client.rPush("orders:processing:a", [CONTRACT, "poison"]);
    await client.rPush("orders:processing:b", CONTRACT);
    const polled = consumer();
    await polled.poll();
    await polled.stop();
    expect(handled.map(({ attempts }) => attempts)).toEqual([1]);
    const [{ message: refusal }] = errors as [Error];
    const [letter = "", ...others] = await client.lRange("orders-dlq", 0, -1);
    expect(letter.replace(/"failed_at":\d{13},/, "")).toBe(
      `{"raw":"poison","dead_letter":{"reason":"poison","error":"${refusal}","exception":null,` +
        '"original_queue":"orders","attempts":0,"lang":"node"}}',
    );
    expect(others).toEqual([]);
    expect(await client.lLen("orders:processing:b")).toBe(1);
  });

  test("a publish that Redis or JSON refuses rejects", async () => {
    const publisher = new RedisPublisher(client, "orders");
    await expect(publisher.publish(URN, { n: Number.NaN })).rejects.toThrow("/data/n");
    await client.set("orders", "no list");
    await expect(publisher.publish(URN, {})).rejects.toThrow("WRONGTYPE");
    const lossy = new RedisPublisher(client, "orders", { middleware: [() => async () => []] });
    await expect(lossy.publish(URN, {})).rejects.toThrow("one result a message");
  });

  test("a settlement that fails is reported, and the message comes back", async () => {
    await client.rPush("orders", CONTRACT);
    const polled = consumer(async ({ attempts }) => {
      if (attempts > 0) return;
      await client.set("orders:processing:a", "no list");
    });
    await polled.poll();
    expect(errors.map(String)).toEqual([expect.stringContaining("WRONGTYPE")]);
    await client.del("orders:processing:a");
    await client.rPush("orders:processing:a", CONTRACT);
    await polled.poll();
    await polled.stop();
    expect(handled.map(({ attempts }) => attempts)).toEqual([0, 1]);
    expect(await processing()).toEqual([]);
  });

  test("Redis goes away: reported, and all goes on when it is back", {
    timeout: 60_000,
  }, async () => {
    const own = server.client();
    await own.connect();
    let release: (() => void) | undefined;
    const polled = consumer(async ({ data, attempts }) => {
      if (data["n"] !== 1 || attempts > 0) return;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }, own);
    const running = polled.run();
    await client.rPush("orders", encodeEnvelope(createEnvelope(URN, { n: 1 })));
    await until(() => handled.length === 1);

    // while a handler runs: its message is settled when Redis is back
    await server.kill();
    await until(() => errors.length > 0);
    release?.();
    await server.start();
    await client.rPush("orders", encodeEnvelope(createEnvelope(URN, { n: 2 })));
    await until(() => handled.some(({ data }) => data["n"] === 2));

    // while it waits for messages
    const before = errors.length;
    await server.kill();
    await until(() => errors.length > before + 1);
    await server.start();
    await client.rPush("orders", encodeEnvelope(createEnvelope(URN, { n: 3 })));
    await until(() => handled.some(({ data }) => data["n"] === 3));

    await polled.stop();
    await running;
    expect(await client.lLen("orders")).toBe(0);
    expect(await processing()).toEqual([]);
    expect(await client.lLen("orders-dlq")).toBe(0);
    expect(unhandled).toEqual([]);
    own.destroy();
  });

  test("a consumer can be stopped while Redis is away", { timeout: 60_000 }, async () => {
    const own = server.client();
    await own.connect();
    const polled = consumer(undefined, own);
    const running = polled.run();
    await until(() => polled.blocking.isReady);
    await server.kill();
    await until(() => errors.length > 0);

    // and so can one that never reached it
    const late = consumer(undefined, own);
    const lateRunning = late.run();
    await until(() => late.blocking.isOpen);
    own.destroy();
    await Promise.all([polled.stop(), late.stop()]);
    await Promise.all([running, lateRunning]);
    await server.start();
    expect(unhandled).toEqual([]);
  });

  test("main.mjs publishes and consumes", { timeout: 30_000 }, async () => {
    const program = fileURLToPath(new URL("main.mjs", import.meta.url));
    const url = `redis://127.0.0.1:${server.port}`;
    const { stdout, stderr } = await run(process.execPath, [program, url]);
    expect(stderr).toBe("");
    expect(stdout.split("\n")).toEqual([
      "order 1042, attempts 0",
      "Error: the bank did not answer",
      "order 1042, attempts 1",
      "",
    ]);
  });
});
