import { InvalidArgumentError } from "@babelqueue/core";
import { describe, expect, test } from "vitest";
import { outcomeOf, thrownBy, URN } from "../contract.fixture.js";
import { SqsConsumer, SqsPublisher } from "../index.js";
import { createSqsHandler } from "../lambda.js";
import { FakeServer, nameOf, SERVERS } from "../servers.fixture.js";

const { client } = new FakeServer();
const BASE = "https://sqs.eu-central-1.amazonaws.com/123456789012";

describe.each(SERVERS)("$name", (server) => {
  test.each(["standard", "fifo"] as const)(
    "meta.queue is the last segment of a %s queue's URL",
    async (kind) => {
      const url = await server.createQueue(kind);
      await new SqsPublisher(server.client, url).publish(URN, {});
      expect(JSON.parse((await server.letter(url)).body ?? "")).toMatchObject({
        meta: { queue: nameOf(url) },
      });
    },
  );
});

test.each([
  [`${BASE}/orders`, "orders"],
  [`${BASE}/orders/`, "orders"],
  [` ${BASE}/orders\n`, "orders"],
  ["http://localhost:4566/000000000000/orders.fifo", "orders.fifo"],
  ["http://localhost:4566/queue/eu/0/orders.fifo//", "orders.fifo"],
  ["orders", "orders"],
])("%j names the queue %s", async (url, queue) => {
  const seen: string[] = [];
  const publisher = new SqsPublisher(client, url, {
    fifo: queue.endsWith(".fifo"),
    middleware: [
      () => async (batch) => {
        seen.push(...batch.flatMap((out) => [out.queue, out.envelope.meta.queue]));
        return batch.map(() => ({ ok: true }));
      },
    ],
  });
  await publisher.publish(URN, {});
  expect(seen).toEqual([queue, queue]);
});

test.each([
  ...["", " ", "/", "///", "\n", undefined, null, 7, {}],
  "arn:aws:sqs:eu-central-1:123456789012:orders",
  `"${BASE}/orders"`,
  `'${BASE}/orders'`,
  `${BASE}/or ders`,
  "${QUEUE_URL}",
  `${BASE}/\${NAME}`,
])("%j names no queue", (url) => {
  const bad = url as string;
  const refusals: [string, () => unknown][] = [
    ["queueUrl", () => new SqsPublisher(client, bad)],
    ["queueUrl", () => new SqsConsumer(client, bad, {})],
  ];
  if (url !== undefined) {
    const options = { deadLetterQueueUrl: bad };
    refusals.push(["deadLetterQueueUrl", () => new SqsConsumer(client, `${BASE}/q`, {}, options)]);
  }
  for (const [argument, construct] of refusals) {
    const error = thrownBy(construct);
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument });
  }
});

test.each([
  ["orders", undefined, true],
  ["orders", false, true],
  ["orders", true, false],
  ["orders.fifo", undefined, true],
  ["orders.fifo", true, true],
  ["orders.fifo", false, false],
  ["orders.FIFO", true, false],
  ["fifo", true, false],
])("the queue %s with fifo: %s is accepted: %s", (name, fifo, isAccepted) => {
  const outcome = outcomeOf(() => new SqsPublisher(client, `${BASE}/${name}`, { fifo }));
  expect(outcome instanceof SqsPublisher).toBe(isAccepted);
  expect(outcome).toMatchObject(isAccepted ? {} : { code: "invalid_argument", argument: "fifo" });
});

test("white space around a URL is dropped everywhere", async () => {
  const server = new FakeServer();
  const fake = server.client;
  const url = await server.createQueue("standard");
  await new SqsPublisher(fake, ` ${url}\n`).publish(URN, {});
  const handled: unknown[] = [];
  const routes = { [URN]: () => void handled.push(1) };
  await new SqsConsumer(fake, `\t${url} `, routes, { waitTimeSeconds: 0 }).poll();
  expect(handled).toEqual([1]);
});

describe("a dead-letter queue that is the queue itself", () => {
  const SPELLINGS = [
    `${BASE}/orders`,
    `${BASE}/orders/`,
    ` ${BASE}/orders\n`,
    `${BASE}/orders`.replace("https", "http"),
    `${BASE}/orders`.replace("https", "HTTPS"),
    `${BASE}/orders`.replace("sqs.", "SQS."),
    "https://eu-central-1.queue.amazonaws.com/123456789012/orders",
  ];

  test.each(SPELLINGS)("is refused, spelt %j", (deadLetterQueueUrl) => {
    const own = [
      () => new SqsConsumer(client, `${BASE}/orders`, {}, { deadLetterQueueUrl }),
      () => createSqsHandler({}, { client, deadLetterQueueUrl, queueUrl: `${BASE}/orders` }),
    ];
    for (const construct of own) {
      expect(thrownBy(construct)).toMatchObject({ argument: "deadLetterQueueUrl" });
    }
  });

  test.each(SPELLINGS)("is refused by a function that is fed from it, spelt %j", async (url) => {
    const handler = createSqsHandler({}, { client, deadLetterQueueUrl: url });
    const eventSourceARN = "arn:aws:sqs:eu-central-1:123456789012:orders";
    const record = { messageId: "1", body: "poison", eventSourceARN };
    await expect(handler({ Records: [record] })).rejects.toMatchObject({
      argument: "deadLetterQueueUrl",
    });
  });

  test("is another one in another region, account or letter case", () => {
    for (const other of [
      `${BASE}/Orders`,
      `${BASE}/orders`.replace("eu-central-1", "eu-west-1"),
      `${BASE}/orders`.replace("1234", "4321"),
    ]) {
      const options = { deadLetterQueueUrl: other };
      expect(new SqsConsumer(client, `${BASE}/orders`, {}, options)).toBeDefined();
    }
  });
});
