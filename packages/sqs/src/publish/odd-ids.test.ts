import type { Envelope } from "@babelqueue/core";
import { describe, expect, test } from "vitest";
import { envelopeOf, rejection, URN } from "../contract.fixture.js";
import { SqsPublisher } from "../index.js";
import { FakeServer } from "../servers.fixture.js";

/** Of another producer, whose `meta.id` may be anything. */
function withId(id: unknown): Envelope {
  const { meta } = envelopeOf();
  return envelopeOf({ meta: { ...meta, id } });
}

const ODD: readonly (readonly [string, unknown, RegExp])[] = [
  ["missing", undefined, /no meta\.id to deduplicate by/],
  ["null", null, /no meta\.id to deduplicate by/],
  ["blank", " \t", /no meta\.id to deduplicate by/],
  ["a number", 7, /meta\.id.*a number/],
  ["too long", "x".repeat(129), /meta\.id.*129 characters/],
  ["a text with a space", "a b", /meta\.id/],
];

describe("an envelope whose meta.id is no deduplication id", () => {
  test.each(ODD)("%s, is refused on FIFO by name, and fails alone", async (_, id, message) => {
    const server = new FakeServer();
    const url = await server.createQueue("fifo");
    const publisher = new SqsPublisher(server.client, url);
    const odd = rejection(publisher.publishEnvelope(withId(id)));
    await Promise.all([1, 2, 3].map((n) => publisher.publish(URN, { n })));
    expect(await odd).toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(message),
    });
    expect(server.fake.messages(url)).toHaveLength(3);
  });

  test.each(ODD)("%s, is passed on under a deduplicationId that is given", async (_, id) => {
    const server = new FakeServer();
    const url = await server.createQueue("fifo");
    const publisher = new SqsPublisher(server.client, url, { onWarning: () => undefined });
    const resolved = await publisher.publishEnvelope(withId(id), { deduplicationId: "d" });
    const [message] = server.fake.messages(url);
    expect(resolved).toBe(typeof id === "string" && id.trim() ? id : message?.messageId);
  });

  test("missing, resolves on a standard queue with the id that SQS gave the message", async () => {
    const server = new FakeServer();
    const url = await server.createQueue("standard");
    const publisher = new SqsPublisher(server.client, url, { onWarning: () => undefined });
    const resolved = await publisher.publishEnvelope(withId(undefined));
    expect(resolved).toBe(server.fake.messages(url)[0]?.messageId);
  });
});
