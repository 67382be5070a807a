import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { decodeEnvelope, encodeEnvelope } from "@babelqueue/core";
import type { RedisClientType } from "@redis/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RedisConsumer } from "./consumer.mjs";
import { RedisPublisher } from "./publisher.mjs";
import { RedisServer, whySkipped } from "./redis-server.fixture.js";

/** The section `redis` of the suite that all BabelQueue SDKs share. */
interface RedisSection {
  readonly payload_identity: { readonly envelope_file: string };
}

const OWN =
  '{"job":"urn:babel:orders:created","trace_id":"t","data":{"price":99.90,"city":"İzmir"},' +
  '"meta":{"id":"m-1","queue":"orders","lang":"php","schema_version":1,"created_at":1},"attempts":0}';

/** One of our own, and that of each suite in the folders that `BABELQUEUE_CONFORMANCE` lists. */
const envelopes = [
  { from: "this file", body: OWN },
  ...(process.env["BABELQUEUE_CONFORMANCE"] ?? "").split(delimiter).flatMap((path) => {
    const manifest = join(path, "manifest.json");
    if (path === "" || !existsSync(manifest)) return [];
    const { redis } = JSON.parse(readFileSync(manifest, "utf8")) as { redis?: RedisSection };
    const file = redis?.payload_identity.envelope_file;
    return file === undefined ? [] : [{ from: path, body: readFileSync(join(path, file), "utf8") }];
  }),
];

describe.skipIf(whySkipped !== undefined)(`payload identity (${whySkipped ?? "a server"})`, () => {
  let server: RedisServer;
  let client: RedisClientType;

  beforeAll(async () => {
    server = await RedisServer.start();
    client = server.client();
    await client.connect();
  });
  afterAll(async () => {
    client.destroy();
    await server.close();
  });

  /** The element that a handler is given. */
  async function receive(queue: string): Promise<string[]> {
    const elements: string[] = [];
    const handlerFor = () => (_envelope: unknown, element: Buffer) =>
      elements.push(element.toString());
    const consumer = new RedisConsumer(client, queue, { handlerFor }, { name: "a" });
    expect(await consumer.poll()).toBe(1);
    await consumer.stop();
    return elements;
  }

  test.each(envelopes)("an envelope of $from is published as its JSON alone", async ({ body }) => {
    const queue = randomUUID();
    const envelope = decodeEnvelope(body);
    await new RedisPublisher(client, queue).sender.publishEnvelope(envelope, {});
    const text = encodeEnvelope(envelope);
    expect(await client.lRange(queue, 0, -1)).toEqual([text]);
    expect(await receive(queue)).toEqual([text]);
  });

  test.each(envelopes)("an element of $from is received byte for byte", async ({ body }) => {
    const queue = randomUUID();
    await client.rPush(queue, body);
    expect(await receive(queue)).toEqual([body]);
  });
});
