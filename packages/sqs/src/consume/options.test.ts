import { InvalidArgumentError, UnknownUrnStrategy } from "@babelqueue/core";
import { describe, expect, test } from "vitest";
import { bodyText, outcomeOf, probe, thrownBy } from "../contract.fixture.js";
import {
  SqsConsumer,
  type SqsConsumerOptions,
  SqsPublisher,
  type SqsPublisherOptions,
} from "../index.js";
import { FakeServer } from "../servers.fixture.js";

const { client } = new FakeServer();
const QUEUE_URL = "https://sqs.eu-central-1.amazonaws.com/123456789012/orders";
const consume = (options: object): SqsConsumer => new SqsConsumer(client, QUEUE_URL, {}, options);

type Name = keyof SqsConsumerOptions;
const RANGES: [Name, number, number][] = [
  ["waitTimeSeconds", 0, 20],
  ["visibilityTimeoutSeconds", 0, 43_200],
  ["maxMessages", 1, 10],
  ["concurrency", 1, 100_000],
  ["settleLingerMs", 0, 60_000],
  ["pollGraceMs", 0, 2 ** 31 - 1],
  ["shutdownTimeoutMs", 0, 2 ** 31 - 1],
];

describe.each(RANGES)("%s takes whole numbers from %d to %d", (name, min, max) => {
  test.each([undefined, min, max])("takes %s", (value) => {
    expect(consume({ [name]: value })).toBeInstanceOf(SqsConsumer);
  });

  test.each<unknown>([
    min - 1,
    max + 1,
    min + 0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    1e300,
    "1",
    "",
    true,
    false,
    1n,
    {},
  ])("refuses %s", (value) => {
    const error = thrownBy(() => consume({ [name]: value }));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ code: "invalid_argument", argument: name });
  });
});

test.each<unknown>(["ignore", "", "FAIL", "dead-letter", "__proto__", "toString", null, 1, {}])(
  "the unknownUrnStrategy %j is refused",
  (unknownUrnStrategy) => {
    expect(thrownBy(() => consume({ unknownUrnStrategy }))).toMatchObject({
      code: "invalid_argument",
      argument: "unknownUrnStrategy",
    });
  },
);

test.each([undefined, ...Object.values(UnknownUrnStrategy)])(
  "the unknownUrnStrategy %s is taken",
  (unknownUrnStrategy) => {
    expect(consume({ unknownUrnStrategy })).toBeInstanceOf(SqsConsumer);
  },
);

test.each([
  [{ heartbeat: true }, "heartbeat"],
  [{ heartbeat: true, visibilityTimeoutSeconds: 0 }, "heartbeat"],
  [{ heartbeat: true, visibilityTimeoutSeconds: undefined }, "heartbeat"],
  [{ heartbeat: true, visibilityTimeoutSeconds: -1 }, "visibilityTimeoutSeconds"],
  [{ heartbeat: true, visibilityTimeoutSeconds: 1.5 }, "visibilityTimeoutSeconds"],
])("%j is refused", (options, argument) => {
  expect(thrownBy(() => consume(options))).toMatchObject({ code: "invalid_argument", argument });
});

test("a heartbeat with a visibility timeout is taken", () => {
  expect(consume({ heartbeat: true, visibilityTimeoutSeconds: 1 })).toBeInstanceOf(SqsConsumer);
});

test.each([Number.NaN, -1, -1e300, 1e300, Number.POSITIVE_INFINITY, 0.5])(
  "a release delay of %s is put right instead",
  (delay) => {
    const options = { releaseDelaySeconds: delay, unknownUrnReleaseDelaySeconds: delay };
    expect(consume(options)).toBeInstanceOf(SqsConsumer);
  },
);

test.each<[string, unknown, string]>([
  ["a blank URN", { " ": () => undefined }, "urn"],
  ["the same URN twice", { a: () => undefined, " a": () => undefined }, "urn"],
  ["a handler that is no function", { a: "b" }, "handler"],
  ["a missing handler", { a: undefined }, "handler"],
])("handlers with %s are refused", (_, handlers, argument) => {
  expect(thrownBy(() => new SqsConsumer(client, QUEUE_URL, handlers as never))).toMatchObject({
    code: "invalid_argument",
    argument,
  });
});

test.each<[string, unknown, boolean]>([
  ["1", 1, true],
  ["1000", 1000, true],
  ["0", 0, false],
  ["-1", -1, false],
  ["1.5", 1.5, false],
  ["NaN", Number.NaN, false],
  ["Infinity", Number.POSITIVE_INFINITY, false],
  ["a string", "1", false],
])("maxInFlight %s is accepted: %s", (_, maxInFlight, isAccepted) => {
  const options = { maxInFlight } as SqsPublisherOptions;
  const outcome = outcomeOf(() => new SqsPublisher(client, QUEUE_URL, options));
  const refusal = { code: "invalid_argument", argument: "maxInFlight" };
  expect(outcome instanceof SqsPublisher).toBe(isAccepted);
  expect(outcome).toMatchObject(isAccepted ? {} : refusal);
});

test("the options reach SQS, and what is not set is not sent", async () => {
  const server = new FakeServer();
  const url = await server.createQueue();
  await server.put(url, bodyText());
  const inputs = (): unknown[] =>
    server.fake.requests.flatMap(({ operation, input }) =>
      operation === "ReceiveMessage" ? [input] : [],
    );
  await probe(server, url).poll();
  await server.put(url, bodyText());
  await probe(server, url, {
    waitTimeSeconds: 20,
    visibilityTimeoutSeconds: 7,
    maxMessages: 3,
    concurrency: 2,
  }).poll();
  const common = {
    QueueUrl: url,
    MessageAttributeNames: ["All"],
    MessageSystemAttributeNames: expect.arrayContaining(["ApproximateReceiveCount"]),
  };
  expect(inputs()).toEqual([
    { ...common, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 },
    { ...common, MaxNumberOfMessages: 2, WaitTimeSeconds: 20, VisibilityTimeout: 7 },
  ]);
});

test("the long poll waits 20 seconds unless told otherwise", async () => {
  const server = new FakeServer();
  const url = await server.createQueue();
  await server.put(url, bodyText());
  await new SqsConsumer(server.client, url, {}, { onError: () => undefined }).poll();
  expect(server.fake.requests.at(-1)).toMatchObject({ input: { WaitTimeSeconds: 20 } });
});
