import { inspect } from "node:util";
import { BabelQueueError } from "@babelqueue/core";
import { connectionReset, serviceUnavailable, throttled } from "fake-sqs";
import { describe, expect, test } from "vitest";
import { bodyText, observe, probe, rejection, shownBy, URN } from "./contract.fixture.js";
import * as sqs from "./index.js";
import { FakeServer, nameOf, SERVERS } from "./servers.fixture.js";

const { SqsPublisher } = sqs;
const FAILURE = { code: "X", senderFault: true, cause: new Error("of AWS") };

describe("the family", () => {
  const CLASSES: [string, () => BabelQueueError, object][] = [
    ["SqsSendError", () => new sqs.SqsSendError("orders", FAILURE), FAILURE],
    ["SqsReceiveError", () => new sqs.SqsReceiveError("orders", FAILURE), FAILURE],
    ["SqsDeleteError", () => new sqs.SqsDeleteError("orders", FAILURE), FAILURE],
    ["SqsReleaseError", () => new sqs.SqsReleaseError("orders", FAILURE), FAILURE],
    ["SqsDeadLetterError", () => new sqs.SqsDeadLetterError("orders", FAILURE), FAILURE],
    [
      "MessageTooLargeError",
      () => new sqs.MessageTooLargeError(2, 1),
      { code: "message_too_large", size: 2, limit: 1 },
    ],
    [
      "VisibilityLostError",
      () => new sqs.VisibilityLostError("orders", { cause: 1 }),
      { code: "visibility_lost", cause: 1 },
    ],
    [
      "HandlerUnfinishedError",
      () => new sqs.HandlerUnfinishedError("orders"),
      { code: "handler_unfinished" },
    ],
  ];

  test.each(CLASSES)("%s", (name, make, properties) => {
    const error = make();
    expect(error).toBeInstanceOf(BabelQueueError);
    expect(error).toBeInstanceOf(Reflect.get(sqs, name));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, ...properties });
    expect(String(error)).toMatch(new RegExp(`^${name}: .+\\.$`));
    expect(error.stack).toMatch(new RegExp(`^${name}: `));
    expect("senderFault" in error).toBe(error instanceof sqs.SqsRequestError);
    const kinds = CLASSES.filter(([other]) => error instanceof Reflect.get(sqs, other));
    expect(kinds.map(([kind]) => kind)).toEqual([name]);
  });
});

describe.each(SERVERS)("$name", (server) => {
  test("a queue that is missing, by AWS's own name", async () => {
    const url = `${await server.createQueue()}-nowhere`;
    const publisher = new SqsPublisher(server.client, url);
    const { poll } = probe(server, url);
    const expected = { code: "QueueDoesNotExist", senderFault: true, cause: expect.any(Error) };
    const sent = await rejection(publisher.publish(URN, {}));
    const received = await rejection(poll());
    expect(sent).toBeInstanceOf(sqs.SqsSendError);
    expect(received).toBeInstanceOf(sqs.SqsReceiveError);
    for (const error of [sent, received]) {
      expect(error).toMatchObject({ ...expected, message: expect.stringContaining(nameOf(url)) });
    }
    const { results } = await publisher.publishBatch([
      { urn: URN, data: {} },
      { urn: URN, data: {} },
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ ok: false, error: expected });
      expect(result.ok ? null : result.error).toBeInstanceOf(sqs.SqsSendError);
    }
  });

  describe("errors and warnings hold no payload", () => {
    const SECRET = "5ecret";
    const data = (value: unknown): object => ({ text: SECRET, value });

    test.each<[string, object, object]>([
      ["NaN", data(Number.NaN), {}],
      ["a Map", data(new Map([[SECRET, SECRET]])), {}],
      ["a symbol", data(Symbol(SECRET)), {}],
      ["too much", data(SECRET.repeat(200_000)), {}],
      ["a delay", data(1), { delaySeconds: -1, headers: { a: SECRET } }],
      ["headers", data(Number.NaN), { headers: { "a b": SECRET, c: `${SECRET}\0` } }],
    ])("publishing %s", async (_, value, options) => {
      const warnings: unknown[] = [];
      const publisher = new SqsPublisher(server.client, await server.createQueue(), {
        onWarning: (warning) => warnings.push(warning),
      });
      const error = await rejection(publisher.publish(URN, value, options));
      expect(error).toBeInstanceOf(BabelQueueError);
      expect(inspect(error, { depth: null, showHidden: true })).not.toContain(SECRET);
      expect(JSON.stringify([error, warnings])).not.toContain(SECRET);
    });

    test("publishing an envelope", async () => {
      const publisher = new SqsPublisher(server.client, await server.createQueue());
      const error = await rejection(publisher.publishEnvelope({ job: 7, data: SECRET } as never));
      expect(`${shownBy(error)} ${inspect((error as Error).cause)}`).not.toContain(SECRET);
    });

    test("sending", async () => {
      const publisher = new SqsPublisher(server.client, `${await server.createQueue()}-nowhere`);
      const error = await rejection(
        publisher.publish(URN, data(1), { headers: { authorization: SECRET } }),
      );
      expect(error).toBeInstanceOf(sqs.SqsSendError);
      expect(shownBy(error)).not.toContain(SECRET);
    });

    test("consuming", async () => {
      const url = await server.createQueue();
      const bodies = [
        `{"text":"${SECRET}`,
        `{"job":"${SECRET} is no JSON'}`,
        bodyText({ data: `"${SECRET}"` }),
        bodyText({ trace_id: `["${SECRET}"]` }),
        bodyText({ meta: `"${SECRET}"` }),
        bodyText({ attempts: `"${SECRET}"` }),
        bodyText({ job: '"urn:unknown"', data: `{"a":"${SECRET}"}`, timestamp: `"${SECRET}"` }),
      ];
      for (const body of bodies) await server.put(url, body);
      const { poll, reported, warnings } = probe(server, url, {
        deadLetterQueueUrl: `${url}-nowhere`,
        unknownUrnStrategy: "dead_letter",
      });
      while ((await poll()) > 0);
      expect(reported).toHaveLength(6 + 7);
      for (const [error] of reported) expect(shownBy(error)).not.toContain(SECRET);
      expect(JSON.stringify(warnings)).not.toContain(SECRET);
    });

    test("consuming with no hook set", async () => {
      const url = await server.createQueue();
      await server.put(url, `{"text":"${SECRET}`);
      await server.put(url, bodyText({ job: '"urn:unknown"', data: `{"a":"${SECRET}"}` }));
      await server.put(url, bodyText({ timestamp: `"${SECRET}"` }));
      const { poll } = probe(server, url, { onError: undefined, onWarning: undefined }, () =>
        Promise.reject(new Error(SECRET)),
      );
      const { warnings } = await observe(poll);
      expect(warnings.length).toBeGreaterThan(3);
      expect(warnings.map((warning) => inspect(warning)).join()).not.toContain(SECRET);
    });
  });
});

/** Ways to the error of a send. */
async function publishers(server: FakeServer): Promise<[string, () => Promise<unknown>][]> {
  const publisher = new SqsPublisher(server.client, await server.createQueue());
  const message = { urn: URN, data: {} };
  return [
    ["alone", () => rejection(publisher.publish(URN, {}))],
    [
      "in a batch",
      async () => {
        const { results } = await publisher.publishBatch([message, message]);
        return results[1]?.ok === false ? results[1].error : undefined;
      },
    ],
  ];
}

describe("why SQS did not take a message, alone and in a batch", () => {
  test.each<[string, () => Error, object]>([
    ["throttling is nobody's fault", throttled, { code: "RequestThrottled", senderFault: false }],
    ["nor is an outage", serviceUnavailable, { code: "ServiceUnavailable", senderFault: false }],
    ["nor a broken connection", connectionReset, { code: "ECONNRESET", senderFault: false }],
    ["ThrottlingException", () => faulty("ThrottlingException"), { senderFault: false }],
    ["TooManyRequestsException", () => faulty("TooManyRequestsException"), { senderFault: false }],
    ["SlowDown", () => faulty("SlowDown"), { senderFault: false }],
    ["OverLimit", () => faulty("OverLimit"), { senderFault: false }],
    ["RequestLimitExceeded", () => faulty("RequestLimitExceeded"), { senderFault: false }],
    ["nor a timeout", () => timedOut(), { code: "TimeoutError", senderFault: false }],
    [
      "nor a number as code",
      () => Object.assign(new Error("x"), { code: 14 }),
      { senderFault: false },
    ],
    ["a refusal is ours", () => faulty("InvalidMessageContents"), { senderFault: true }],
    [
      "an older protocol's name is AWS's",
      () => faulty("AWS.SimpleQueueService.NonExistentQueue"),
      { code: "NonExistentQueue", senderFault: true },
    ],
  ])("%s", async (_, make, expected) => {
    const server = new FakeServer();
    const attempts = await publishers(server);
    const thrown = make();
    server.fake.onRequest(() => thrown);
    for (const [, attempt] of attempts) {
      const error = await attempt();
      expect(error).toBeInstanceOf(sqs.SqsSendError);
      expect(error).toMatchObject({ ...expected, cause: thrown });
    }
  });

  test("one entry of a batch that is refused: a cause with AWS's words", async () => {
    const server = new FakeServer();
    const publisher = new SqsPublisher(server.client, await server.createQueue());
    const fault = { senderFault: true, message: "too odd" };
    server.fake.failEntries((_, __, index) =>
      index === 1 ? { code: "AWS.SimpleQueueService.InvalidMessageContents", ...fault } : undefined,
    );
    const message = { urn: URN, data: {} };
    const { results } = await publisher.publishBatch([message, message, message]);
    expect(results).toMatchObject([
      { ok: true },
      {
        ok: false,
        error: {
          name: "SqsSendError",
          code: "InvalidMessageContents",
          senderFault: true,
          cause: { name: "InvalidMessageContents", message: "too odd" },
        },
      },
      { ok: true },
    ]);
  });

  test("an entry that the answer does not mention is not taken for sent", async () => {
    const url = await new FakeServer().createQueue();
    const publisher = new SqsPublisher({ send: async () => ({}) } as never, url);
    const message = { urn: URN, data: {} };
    const error = { code: "Unanswered", senderFault: false, cause: expect.any(Error) };
    expect(await publisher.publishBatch([message, message])).toMatchObject({
      results: [
        { ok: false, error },
        { ok: false, error },
      ],
    });
  });

  test.each(["a string", undefined, null] as unknown[] as Error[])(
    "a client that throws %o",
    async (thrown) => {
      const server = new FakeServer();
      const client = { send: () => Promise.reject(thrown) };
      const publisher = new SqsPublisher(client as never, await server.createQueue());
      expect(await rejection(publisher.publish(URN, {}))).toMatchObject({
        code: "UnknownError",
        senderFault: false,
        cause: thrown,
      });
    },
  );
});

/** What `AbortSignal.timeout` aborts with: its `code` is a number. */
function timedOut(): Error {
  return new DOMException("The operation was aborted due to timeout", "TimeoutError");
}

function faulty(name: string): Error {
  return Object.assign(new Error("of AWS"), { name, $fault: "client" });
}
