import { randomUUID } from "node:crypto";
import { InvalidEnvelopeError } from "@babelqueue/core";
import { throttled } from "fake-sqs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { bodyText, probe, refusalOf, SIX, text, wrappedCopy } from "../contract.fixture.js";
import { SqsDeadLetterError, SqsDeleteError } from "../index.js";
import { FakeServer, type Kind, nameOf, passSeconds, SERVERS } from "../servers.fixture.js";

const UNKNOWN = bodyText({ job: '"urn:unknown"' });
const NOW = 1_790_000_000_000;

/** The copy of a body that is no JSON, and is received for the first time unless told otherwise. */
function copyOf(body: string, url: string, attempts = 0, failedAt = NOW): string {
  return wrappedCopy(body, { error: refusalOf(body), queue: nameOf(url), failedAt, attempts });
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each(SERVERS)("$name", (server) => {
  test.each<[Kind, Kind]>([
    ["standard", "standard"],
    ["standard", "fifo"],
    ["fifo", "standard"],
    ["fifo", "fifo"],
  ])("from a %s queue to a %s one", async (from, to) => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    const url = await server.createQueue(from);
    const deadLetterQueueUrl = await server.createQueue(to);
    const id = await server.put(url, "{");
    await probe(server, url, { deadLetterQueueUrl }).poll();
    const { attributes, ...letter } = await server.letter(deadLetterQueueUrl);
    expect(attributes).toEqual({
      "bq-dead-letter-reason": text("poison"),
      "bq-original-queue": text(nameOf(url)),
      ...(from === "fifo" && { "bq-original-group": text("a-group") }),
    });
    expect(letter).toMatchObject({
      body: copyOf("{", url),
      group: to === "fifo" ? nameOf(url) : undefined,
      deduplicationId: to === "fifo" ? id : undefined,
    });
    expect(await server.placeOf(url)).toBe("gone");
  });

  test.each(["standard", "fifo"] as const)(
    "a %s DLQ that is missing: reported, the original stays, and the write is tried again",
    async (kind) => {
      const url = await server.createQueue(kind);
      const name = `orders-${randomUUID()}${kind === "fifo" ? ".fifo" : ""}`;
      const deadLetterQueueUrl = url.replace(nameOf(url), name);
      await server.put(url, "{");
      const { poll, reported } = probe(server, url, { deadLetterQueueUrl });
      await poll();
      expect(reported).toMatchObject([
        [expect.any(InvalidEnvelopeError), null, { Body: "{" }],
        [
          { code: "QueueDoesNotExist", senderFault: true, cause: expect.any(Error) },
          null,
          { Body: "{" },
        ],
      ]);
      expect(reported[1]?.[0]).toBeInstanceOf(SqsDeadLetterError);
      expect(await server.placeOf(url)).toBe("hidden");

      passSeconds(31);
      const existing = await server.createQueue(kind);
      const again = probe(server, url, { deadLetterQueueUrl: existing });
      expect(await again.poll()).toBe(1);
      expect(again.reported.map(([error]) => error)).toEqual([expect.any(InvalidEnvelopeError)]);
      expect(await server.letter(existing)).toMatchObject({
        body: copyOf("{", url, 1, Date.now()),
      });
      expect(await server.placeOf(url)).toBe("gone");
    },
  );

  test("a DLQ that refuses an unknown URN's copy: reported with the envelope", async () => {
    const url = await server.createQueue();
    await server.put(url, UNKNOWN);
    const { poll, reported } = probe(server, url, {
      unknownUrnStrategy: "dead_letter",
      deadLetterQueueUrl: `${url}-nowhere`,
    });
    await poll();
    expect(reported).toMatchObject([
      [expect.any(SqsDeadLetterError), { job: "urn:unknown" }, { Body: UNKNOWN }],
    ]);
    expect(await server.placeOf(url)).toBe("hidden");
  });

  test("attempts count the deliveries before, in the copy of the third", async () => {
    const url = await server.createQueue();
    const deadLetterQueueUrl = await server.createQueue();
    await server.put(url, UNKNOWN);
    await probe(server, url, { unknownUrnStrategy: "release" }).poll();
    await probe(server, url, { unknownUrnStrategy: "release" }).poll();
    await probe(server, url, { unknownUrnStrategy: "dead_letter", deadLetterQueueUrl }).poll();
    const { body = "" } = await server.letter(deadLetterQueueUrl);
    expect(JSON.parse(body)).toMatchObject({ attempts: 2, dead_letter: { attempts: 2 } });
  });

  test("many at once all arrive", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    const url = await server.createQueue();
    const deadLetterQueueUrl = await server.createQueue();
    const bodies = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? `{${n}` : UNKNOWN));
    for (const body of bodies) await server.put(url, body, SIX);
    const { consumer, poll } = probe(server, url, {
      unknownUrnStrategy: "dead_letter",
      deadLetterQueueUrl,
    });
    while ((await poll()) > 0);
    expect(consumer.stats()).toMatchObject({ received: 10, deadLettered: 10, left: 0 });
    expect(await server.total(url)).toBe(0);
    const letters = await server.letters(deadLetterQueueUrl);
    const block = {
      reason: "unknown_urn",
      error: null,
      exception: null,
      failed_at: NOW,
      original_queue: nameOf(url),
      attempts: 0,
      lang: "node",
    };
    const unknown = `${UNKNOWN.slice(0, -1)},"dead_letter":${JSON.stringify(block)}}`;
    const copies = bodies.map((body) => (body === UNKNOWN ? unknown : copyOf(body, url)));
    expect(letters.map(({ body = "" }) => body).sort()).toEqual(copies.sort());
  });
});

describe("on the strict fake", () => {
  test("the original is deleted after the write was answered, not before", async () => {
    const server = new FakeServer();
    const url = await server.createQueue();
    const deadLetterQueueUrl = await server.createQueue();
    const id = await server.put(url, "{");
    server.fake.clearRequests();
    const deletedAtAnswer: unknown[] = [];
    server.fake.onAnswer(async ({ operation }) => {
      if (operation !== "SendMessage") return;
      await new Promise((resolve) => setImmediate(resolve));
      deletedAtAnswer.push(server.fake.deleted(url), server.operations);
    });
    await probe(server, url, { deadLetterQueueUrl }).poll();
    expect(deletedAtAnswer).toEqual([[], ["ReceiveMessage", "SendMessage"]]);
    expect(server.operations).toEqual(["ReceiveMessage", "SendMessage", "DeleteMessage"]);
    expect(server.fake.deleted(url)).toEqual([id]);
  });

  test("one of a batch that is refused stays alone", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    const server = new FakeServer();
    const url = await server.createQueue();
    const deadLetterQueueUrl = await server.createQueue();
    for (const body of ["{0", "{1", "{2"]) await server.put(url, body);
    const refused = copyOf("{1", url);
    server.fake.failEntries((operation, entry) =>
      operation === "SendMessageBatch" && "MessageBody" in entry && entry.MessageBody === refused
        ? { code: "AWS.SimpleQueueService.InvalidMessageContents", senderFault: true }
        : undefined,
    );
    const { poll, reported } = probe(server, url, { deadLetterQueueUrl });
    await poll();
    expect(reported.slice(3)).toMatchObject([
      [{ code: "InvalidMessageContents", senderFault: true }, null, { Body: "{1" }],
    ]);
    expect(server.fake.messages(url)).toMatchObject([{ body: "{1", inFlight: true }]);
    expect(server.fake.messages(deadLetterQueueUrl).map(({ body }) => body)).toEqual([
      copyOf("{0", url),
      copyOf("{2", url),
    ]);
  });

  test("a throttled write is no fault of the message", async () => {
    const server = new FakeServer();
    const url = await server.createQueue();
    await server.put(url, "{");
    server.fake.onRequest(({ operation }) =>
      operation === "SendMessage" ? throttled() : undefined,
    );
    const { poll, reported } = probe(server, url, {
      deadLetterQueueUrl: await server.createQueue(),
    });
    await poll();
    expect(reported[1]?.[0]).toMatchObject({ code: "RequestThrottled", senderFault: false });
    expect(await server.placeOf(url)).toBe("hidden");
  });

  test.each<Kind>(["standard", "fifo"])(
    "a delete that fails after the write: reported; a %s DLQ is written again",
    async (kind) => {
      const server = new FakeServer();
      const url = await server.createQueue();
      const deadLetterQueueUrl = await server.createQueue(kind);
      await server.put(url, UNKNOWN);
      const stop = server.fake.onRequest(({ operation }) =>
        operation === "DeleteMessage" ? throttled() : undefined,
      );
      const { poll, reported, consumer } = probe(server, url, {
        unknownUrnStrategy: "dead_letter",
        deadLetterQueueUrl,
      });
      await poll();
      expect(reported).toMatchObject([
        [expect.any(SqsDeleteError), { job: "urn:unknown" }, { Body: UNKNOWN }],
      ]);
      expect(await server.placeOf(url)).toBe("hidden");
      stop();
      passSeconds(31);
      await poll();
      expect(await server.placeOf(url)).toBe("gone");
      // the deduplication id is the SQS message id: FIFO takes it once
      expect(server.fake.messages(deadLetterQueueUrl)).toHaveLength(kind === "fifo" ? 1 : 2);
      expect(consumer.stats()).toMatchObject({ failedDeletes: 1, deadLettered: 2 });
    },
  );
});
