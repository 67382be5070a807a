import type { Message, SQSClient } from "@aws-sdk/client-sqs";
import {
  type Envelope,
  InvalidArgumentError,
  InvalidEnvelopeError,
  type Outcome,
  UnknownUrnError,
  UnsupportedSchemaVersionError,
  UrnRouter,
} from "@babelqueue/core";
import { describe, expect, test, vi } from "vitest";
import {
  bodyText,
  observe,
  refusalOf,
  rejection,
  SIX,
  text,
  thrownBy,
  wrappedCopy,
} from "../contract.fixture.js";
import { pass, useFakeClock } from "../fake-clock.fixture.js";
import { SqsConsumer, SqsDeadLetterError, SqsReleaseError } from "../index.js";
import * as lambda from "../lambda.js";
import {
  createSqsHandler,
  type SqsEvent,
  type SqsHandlerOptions,
  type SqsRecord,
} from "../lambda.js";
import { CHANGES, DELETES, OURS, SENDS, URN } from "../stage.fixture.js";
import { idsOf, LambdaStage } from "./lambda.fixture.js";

useFakeClock();

const UNKNOWN = bodyText({ job: '"urn:unknown"', data: '{"n":1}' });
const GOOD = bodyText({ data: '{"n":1}' });
const GATED = { "bq-schema-version": { DataType: "Number", StringValue: "2" } };

const boom = (): never => {
  throw new Error("boom");
};

/** One message, one invocation. */
async function settled(
  body: string,
  options: SqsHandlerOptions & { readonly withDlq?: boolean } = {},
  handler: () => unknown = () => undefined,
  MessageAttributes = {},
) {
  const stage = new LambdaStage("orders");
  const dlq = stage.fake.createQueue("orders-dlq");
  await stage.fake.perform({
    operation: "SendMessage",
    input: { QueueUrl: stage.url, MessageBody: body, MessageAttributes },
  });
  const { withDlq, ...others } = options;
  const dead = withDlq === true ? { client: stage.client, deadLetterQueueUrl: dlq } : {};
  const { back } = await stage.invoke(stage.function({ ...dead, ...others }, handler));
  return { stage, isBack: back.length === 1, dead: stage.fake.messages(dlq) };
}

/** Answers for every message, whatever its handler says. */
const outcome = (made: object): SqsHandlerOptions => ({
  middleware: [
    () =>
      async ({ envelope }) =>
        ({ envelope, ...made }) as Outcome,
  ],
});

type Case = [name: string, options: SqsHandlerOptions & { withDlq?: boolean }, isBack: boolean];

test("exports these, and nothing else", () => {
  expect(Object.keys(lambda)).toEqual(["createSqsHandler"]);
});

describe("a handler", () => {
  test.each<[string, () => unknown, boolean]>([
    ["that returns", () => 1, false],
    ["that resolves", async () => undefined, false],
    ["that throws", boom, true],
    ["that rejects", () => Promise.reject(new Error("no")), true],
    ["that throws undefined", () => Promise.reject(undefined), true], // oxlint-disable-line typescript/prefer-promise-reject-errors
    ["that throws null", () => Promise.reject(null), true], // oxlint-disable-line typescript/prefer-promise-reject-errors
  ])("%s", async (_, handler, expected) => {
    const { stage, isBack } = await settled(GOOD, {}, handler);
    expect(isBack).toBe(expected);
    expect(stage.errors).toHaveLength(expected ? 1 : 0);
    expect(stage.fake.messages(stage.url)).toHaveLength(expected ? 1 : 0);
  });

  test("all fail: all come back, each named once, and nothing is thrown", async () => {
    const stage = new LambdaStage("orders");
    await stage.seed([1, 2, 3]);
    const { response, back } = await stage.invoke(stage.function({}, boom));
    expect(back).toEqual([1, 2, 3]);
    expect(new Set(idsOf(response)).size).toBe(3);
  });

  test("some fail: these alone, in the order of the records", async () => {
    const stage = new LambdaStage("orders");
    await stage.seed([1, 2, 3, 4]);
    const handler = stage.function({}, ({ data: { n } }) => (n % 2 === 0 ? boom() : n));
    expect((await stage.invoke(handler)).back).toEqual([2, 4]);
    expect(stage.left()).toEqual([2, 4]);
  });

  test("of a standard queue run side by side", async () => {
    const stage = new LambdaStage("orders");
    await stage.seed([1, 2, 3]);
    const invoked = stage.invoke(stage.function());
    await pass();
    expect(stage.started).toEqual([1, 2, 3]);
    for (const call of stage.calls) call.succeed();
    expect((await invoked).response).toEqual({ batchItemFailures: [] });
  });
});

describe("poison", () => {
  test.each<Case>([
    ["no dead-letter queue", {}, true],
    ["no dead-letter queue, delete", { unknownUrnStrategy: "delete" }, false],
    ["a dead-letter queue", { withDlq: true }, false],
    ["a dead-letter queue, release", { withDlq: true, unknownUrnStrategy: "release" }, false],
    ["a dead-letter queue, delete", { withDlq: true, unknownUrnStrategy: "delete" }, false],
    ["a hook, which is not asked", { onUnknownUrn: boom }, true],
  ])("%s", async (_, options, expected) => {
    const block = { error: refusalOf("{"), queue: "orders", failedAt: Date.now() };
    for (const [body, attributes, error, copy, reason] of [
      ["{", {}, InvalidEnvelopeError, wrappedCopy("{", block), "poison"],
      [GOOD, GATED, UnsupportedSchemaVersionError, GOOD, "gated"],
    ] as const) {
      const { stage, isBack, dead } = await settled(body, options, boom, attributes);
      expect(isBack).toBe(expected);
      expect(stage.errors).toEqual([expect.any(error)]);
      const isDead = options.withDlq === true && options.unknownUrnStrategy !== "delete";
      expect(dead.map((message) => message.body)).toEqual(isDead ? [copy] : []);
      expect(dead.map((message) => message.attributes["bq-dead-letter-reason"])).toEqual(
        isDead ? [text(reason)] : [],
      );
    }
  });

  test("the copy says beside its body why it is there and where from", async () => {
    const attributes = { tenant: text("acme"), raw: { DataType: "Binary", BinaryValue: BYTES } };
    const { dead } = await settled("{", { withDlq: true }, boom, attributes);
    expect(dead[0]?.attributes).toEqual({
      "bq-dead-letter-reason": text("poison"),
      "bq-original-queue": text("orders"),
      tenant: text("acme"),
      raw: { DataType: "Binary", BinaryValue: BYTES },
    });
  });
});
const BYTES = new Uint8Array([0, 255, 128]);

describe("an unknown URN", () => {
  test.each<Case>([
    ["no strategy", {}, true],
    ["fail", { unknownUrnStrategy: "fail" }, true],
    ["delete", { unknownUrnStrategy: "delete" }, false],
    ["release", { unknownUrnStrategy: "release" }, true],
    ["dead_letter", { unknownUrnStrategy: "dead_letter", withDlq: true }, false],
    ["dead_letter, no queue for it", { unknownUrnStrategy: "dead_letter" }, false],
    ["a hook", { onUnknownUrn: () => undefined }, false],
    ["a hook that throws", { onUnknownUrn: boom }, true],
    ["a hook that throws, delete", { onUnknownUrn: boom, unknownUrnStrategy: "delete" }, false],
  ])("%s", async (_, options, expected) => {
    const { isBack, dead } = await settled(UNKNOWN, options, boom);
    expect(isBack).toBe(expected);
    expect(dead).toHaveLength(options.withDlq === true ? 1 : 0);
  });

  test("fail reports it; dead_letter writes the block", async () => {
    expect((await settled(UNKNOWN)).stage.errors).toEqual([expect.any(UnknownUrnError)]);
    const { dead } = await settled(UNKNOWN, { unknownUrnStrategy: "dead_letter", withDlq: true });
    expect(JSON.parse(dead[0]?.body ?? "")).toMatchObject({
      dead_letter: { reason: "unknown_urn", original_queue: "orders", attempts: 0 },
    });
  });

  test("release takes its own delay", async () => {
    const stage = new LambdaStage("orders");
    await stage.seed([1], undefined, "urn:unknown");
    const { client } = stage;
    const options = { unknownUrnStrategy: "release", unknownUrnReleaseDelaySeconds: 9 } as const;
    await stage.invoke(stage.function({ client, releaseDelaySeconds: 5, ...options }));
    expect(stage.hiddenFor(1)).toBe(9);
  });
});

describe("what settling and middleware come to", () => {
  test("a dead-letter queue that fails: reported, and the message comes back", async () => {
    const stage = new LambdaStage("orders");
    await stage.seed([1, 2], undefined, "urn:unknown");
    const handler = stage.function({
      client: stage.client,
      deadLetterQueueUrl: stage.url.replace("orders", "nowhere"),
      unknownUrnStrategy: "dead_letter",
    });
    expect((await stage.invoke(handler)).back).toEqual([1, 2]);
    expect(stage.errors).toEqual([expect.any(SqsDeadLetterError), expect.any(SqsDeadLetterError)]);
    expect(stage.errors[0]).toMatchObject({ code: "QueueDoesNotExist", senderFault: true });
    expect(stage.requests(...SENDS)).toHaveLength(1);
  });

  test("dead letters of one batch share a request; one that is refused comes back alone", async () => {
    const stage = new LambdaStage("orders");
    const deadLetterQueueUrl = stage.fake.createQueue("orders-dlq");
    await stage.seed([1, 2, 3], undefined, "urn:unknown");
    stage.fake.failEntries((_, __, index) => (index === 1 ? OURS : undefined));
    const { client } = stage;
    const unknownUrnStrategy = "dead_letter";
    const handler = stage.function({ client, deadLetterQueueUrl, unknownUrnStrategy });
    const Records = await stage.receive();
    expect(idsOf(await handler({ Records }))).toEqual([Records[1]?.messageId]);
    expect(stage.sizes(...SENDS)).toEqual([3]);
    expect(stage.requests(...DELETES), "Lambda deletes").toEqual([]);
  });

  test.each<Case>([
    ["acks", outcome({ kind: "ack" }), false],
    ["drops", outcome({ kind: "drop" }), false],
    ["leaves", outcome({ kind: "leave" }), true],
    ["releases", outcome({ kind: "release", delaySeconds: 1 }), true],
    ["throws", { middleware: [() => boom] }, true],
    ["says nothing", { middleware: [() => async () => undefined as unknown as Outcome] }, true],
    ["dead-letters to nowhere", outcome({ kind: "dead-letter", reason: "failed", body: "" }), true],
    ["dead-letters nothing", { ...outcome({ kind: "dead-letter" }), withDlq: true }, true],
  ])("a middleware that %s", async (_, options, expected) => {
    expect((await settled(GOOD, options)).isBack).toBe(expected);
  });
});

describe("a release", () => {
  test.each<[string, SqsHandlerOptions["releaseDelaySeconds"], number]>([
    ["by default", undefined, 0],
    ["a number", 17.9, 17],
    ["negative", -1, 0],
    ["NaN", Number.NaN, 0],
    ["a function", (attempts) => 12 + attempts, 12],
    ["a function that fails", boom, 0],
  ])("is applied with a client: %s", async (_, releaseDelaySeconds, seconds) => {
    const stage = new LambdaStage("orders");
    await stage.seed([1, 2]);
    const { client } = stage;
    const { back } = await stage.invoke(stage.function({ client, releaseDelaySeconds }, boom));
    expect(back).toEqual([1, 2]);
    expect([stage.hiddenFor(1), stage.hiddenFor(2)]).toEqual([seconds, seconds]);
    expect(stage.sizes(...CHANGES)).toEqual([2]);
  });

  test("never exceeds what remains of SQS's 12 hours, however long the batch was gathered", async () => {
    const stage = new LambdaStage("orders", { VisibilityTimeout: 43_200 });
    await stage.seed([1]);
    const { client } = stage;
    const Records = await stage.receive();
    await pass(300_000);
    await stage.function({ client, releaseDelaySeconds: 99_999 }, boom)({ Records });
    expect(stage.errors).toEqual([expect.objectContaining({ message: "boom" })]);
    expect(stage.hiddenFor(1)).toBeGreaterThan(42_800);
  });

  test("without a client the queue's timeout applies", async () => {
    const stage = new LambdaStage("orders", { VisibilityTimeout: 60 });
    await stage.seed([1]);
    await stage.invoke(stage.function({ releaseDelaySeconds: 5 }, boom));
    expect(stage.hiddenFor(1)).toBe(60);
    expect(stage.requests(...CHANGES)).toEqual([]);
  });

  test("one that fails is reported after the handler's error, and the message comes back", async () => {
    const stage = new LambdaStage("orders");
    await stage.seed([1, 2]);
    stage.fake.failEntries((_, __, index) => (index === 0 ? OURS : undefined));
    const { back } = await stage.invoke(stage.function({ client: stage.client }, boom));
    expect(back).toEqual([1, 2]);
    expect(stage.errors.slice(2)).toEqual([expect.any(SqsReleaseError)]);
    expect([stage.hiddenFor(1), stage.hiddenFor(2)]).toEqual([30, 0]);
  });
});

describe("the URL of a queue", () => {
  async function urlFor(eventSourceARN: unknown, options: SqsHandlerOptions = {}) {
    const urls: unknown[] = [];
    const errors: unknown[] = [];
    const send = async ({ input }: { input: { QueueUrl: unknown } }): Promise<object> => {
      urls.push(input.QueueUrl);
      return {};
    };
    const client = { send } as unknown as SQSClient;
    const onError = (error: unknown): unknown => errors.push(error);
    const record = { messageId: "m", receiptHandle: "r", body: GOOD, eventSourceARN } as SqsRecord;
    const handler = createSqsHandler({ [URN]: boom }, { client, onError, ...options });
    expect(idsOf(await handler({ Records: [record] }))).toEqual(["m"]);
    return { urls, errors: errors.slice(1) };
  }

  test.each([
    ["arn:aws:sqs:us-east-2:123456789012:q", "https://sqs.us-east-2.amazonaws.com/123456789012/q"],
    [
      "arn:aws:sqs:eu-central-1:123456789012:a_b-c.fifo",
      "https://sqs.eu-central-1.amazonaws.com/123456789012/a_b-c.fifo",
    ],
    ["arn:aws-cn:sqs:cn-north-1:1:q", "https://sqs.cn-north-1.amazonaws.com.cn/1/q"],
    ["arn:aws-us-gov:sqs:us-gov-west-1:1:q", "https://sqs.us-gov-west-1.amazonaws.com/1/q"],
    ["arn:aws-eusc:sqs:eusc-de-east-1:1:q", "https://sqs.eusc-de-east-1.amazonaws.eu/1/q"],
  ])("of %s", async (arn, url) => {
    expect(await urlFor(arn)).toEqual({ urls: [url], errors: [] });
  });

  const ARN = "arn:aws:sqs:us-east-1:000000000000:q";
  test("as told", async () => {
    const queueUrl = "http://localhost:4566/000000000000/q";
    expect((await urlFor(ARN, { queueUrl })).urls).toEqual([queueUrl]);
    expect((await urlFor(ARN, { queueUrl: (arn) => `https://x/${arn}` })).urls).toEqual([
      `https://x/${ARN}`,
    ]);
  });

  test.each<[string, unknown, SqsHandlerOptions?]>([
    ["no ARN", undefined],
    ["no ARN of SQS", "arn:aws:sns:us-east-1:1:topic"],
    ["no string", 7],
    ["a function that throws", ARN, { queueUrl: boom }],
  ])("that cannot be found fails the release only: %s", async (_, arn, options) => {
    const { urls, errors } = await urlFor(arn, options);
    expect(urls).toEqual([]);
    expect(errors).toEqual([expect.any(SqsReleaseError)]);
  });
});

test("records of several queues: each is released to, and reported of, its own", async () => {
  const stage = new LambdaStage("orders");
  const bills = stage.fake.createQueue("bills", { VisibilityTimeout: 7 });
  await stage.seed([1, 2]);
  const input = { QueueUrl: bills, MessageBody: bodyText({ data: '{"n":3}' }) };
  await stage.fake.perform({ operation: "SendMessage", input });
  const queues: string[] = [];
  const handler = stage.function(
    {
      client: stage.client,
      middleware: [
        (next) => (received) => {
          queues.push(received.delivery.queue);
          return next(received);
        },
      ],
    },
    boom,
  );
  expect((await stage.invoke(handler, undefined, stage.url, bills)).back).toEqual([1, 2, 3]);
  expect(queues).toEqual(["orders", "orders", "bills"]);
  expect(stage.requests(...CHANGES).map((request) => request.input.QueueUrl)).toEqual([
    stage.url,
    bills,
  ]);
  expect(stage.fake.messages(bills)).toMatchObject([{ inFlight: false }]);
});

test.each<[string, unknown, number]>([
  ["the first delivery", "1", 2],
  ["the body's count is larger", "2", 2],
  ["SQS's is", "8", 7],
  ["garbage", "x", 2],
  ["zero", "0", 2],
  ["a number", 8, 2],
  ["none", undefined, 2],
])("attempts come from the body and ApproximateReceiveCount: %s", async (_, count, expected) => {
  const seen: number[] = [];
  const handler = createSqsHandler({ [URN]: ({ attempts }) => seen.push(attempts) });
  const attributes = { ApproximateReceiveCount: count } as SqsRecord["attributes"];
  const record = { ...RECORD, body: bodyText({ attempts: "2" }), attributes };
  expect(await handler({ Records: [record] })).toEqual({ batchItemFailures: [] });
  expect(seen).toEqual([expected]);
});

const RECORD: SqsRecord = {
  messageId: "m-1",
  receiptHandle: "r-1",
  body: GOOD,
  eventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:orders",
};

describe("bad input", () => {
  test.each<[string, unknown, string]>([
    ["nothing", undefined, "got undefined"],
    ["null", null, "got null"],
    ["a string", "secret", "got string"],
    ["an array", [RECORD], "got Records: undefined"],
    ["no Records", { secret: 1 }, "got Records: undefined"],
    ["Records that are none", { Records: { secret: 1 } }, "got Records: object"],
    ["a record that is none", { Records: [null] }, "number 0 has none"],
    ["no messageId", { Records: [RECORD, { ...RECORD, messageId: undefined }] }, "number 1 has"],
    ["an empty messageId", { Records: [{ ...RECORD, messageId: "" }] }, "number 0 has none"],
    ["a messageId that is none", { Records: [{ ...RECORD, messageId: 7 }] }, "number 0 has none"],
  ])("an event with %s is refused, before any handler runs", async (_, event, message) => {
    let calls = 0;
    const handler = createSqsHandler({ [URN]: () => (calls += 1) });
    const error = await rejection(handler(event as SqsEvent));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument: "event", message: expect.stringContaining(message) });
    expect(String(error)).not.toContain("secret");
    expect(calls).toBe(0);
  });

  test("no records: nothing fails", async () => {
    expect(await createSqsHandler({})({ Records: [] })).toEqual({ batchItemFailures: [] });
  });

  test.each<[string, object, boolean]>([
    ["no body", { body: undefined }, true],
    ["a body that is no text", { body: { job: URN } }, true],
    ["an empty body", { body: "" }, true],
    ["no attributes", { attributes: undefined, messageAttributes: undefined }, false],
    ["null for attributes", { attributes: null, messageAttributes: null }, false],
    ["odd attributes", { messageAttributes: { a: null, b: 7, c: {}, d: "text" } }, false],
    ["nulls in an attribute", { messageAttributes: { a: { stringValue: null } } }, false],
    ["no receipt handle", { receiptHandle: undefined }, false],
    ["no ARN", { eventSourceARN: undefined }, false],
  ])("a record with %s", async (_, changes, isPoison) => {
    const errors: unknown[] = [];
    const onError = (error: unknown): unknown => errors.push(error);
    const handler = createSqsHandler({ [URN]: () => undefined }, { onError });
    const response = await handler({ Records: [{ ...RECORD, ...changes }] });
    expect(idsOf(response)).toEqual(isPoison ? ["m-1"] : []);
    expect(errors.map((error) => error instanceof InvalidEnvelopeError)).toEqual(
      isPoison ? [true] : [],
    );
  });

  test("an attribute without a value does not spoil the dead-letter copy", async () => {
    const stage = new LambdaStage("orders");
    const dlq = stage.fake.createQueue("orders-dlq");
    const handler = stage.function({ client: stage.client, deadLetterQueueUrl: dlq });
    const messageAttributes = {
      a: { dataType: "String" },
      b: { dataType: "String", stringValue: "b" },
    };
    const response = await handler({ Records: [{ ...RECORD, body: "{", messageAttributes }] });
    expect(response).toEqual({ batchItemFailures: [] });
    expect(Object.keys(stage.fake.messages(dlq)[0]?.attributes ?? {})).not.toContain("a");
  });

  test("one message twice in a batch: it comes back if either fails, named once", async () => {
    let calls = 0;
    const handler = createSqsHandler(
      { [URN]: () => ((calls += 1) === 1 ? boom() : undefined) },
      { onError: () => undefined },
    );
    expect(idsOf(await handler({ Records: [RECORD, RECORD] }))).toEqual(["m-1"]);
    expect(calls).toBe(2);
  });

  test.each<[string, SqsHandlerOptions, string]>([
    ["a DLQ without a client", { deadLetterQueueUrl: "https://x/1/dlq" }, "deadLetterQueueUrl"],
    ["a DLQ URL that is none", { deadLetterQueueUrl: " " }, "deadLetterQueueUrl"],
    ["a queue URL that is none", { queueUrl: "" }, "queueUrl"],
    ["an unknown strategy", { unknownUrnStrategy: "x" as "fail" }, "unknownUrnStrategy"],
  ])("refused at construction: %s", (_, options, argument) => {
    const error = thrownBy(() => createSqsHandler({}, options));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument });
  });
});

describe("hooks", () => {
  test("that throw break nothing", async () => {
    vi.useRealTimers();
    const stage = new LambdaStage("orders");
    await stage.seed([1]);
    stage.fake.failEntries(() => OURS);
    const { client } = stage;
    const { warnings, unhandled } = await observe(async () => {
      const options = { client, onError: boom, onWarning: boom, releaseDelaySeconds: boom };
      const { back } = await stage.invoke(stage.function(options, boom));
      expect(back).toEqual([1]);
    });
    expect(unhandled).toEqual([]);
    expect(warnings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("The onError hook failed"),
    );
  });

  test("are waited for, as Lambda freezes what runs on after the response", async () => {
    const stage = new LambdaStage("orders");
    await stage.seed([1]);
    const missing = stage.url.replace("orders", "nowhere");
    let isTold = false;
    const handler = stage.function({
      client: stage.client,
      queueUrl: missing,
      onError: async (error) => {
        if (!(error instanceof SqsReleaseError)) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
        isTold = true;
      },
    });
    const invoked = stage.invoke(handler);
    await pass();
    stage.call(1).fail();
    await pass(90);
    expect(isTold).toBe(false);
    await pass(20);
    expect((await invoked).back).toEqual([1]);
    expect(isTold).toBe(true);
  });
});

test("nothing is remembered: the same event runs the same again", async () => {
  const stage = new LambdaStage("orders.fifo");
  await stage.seed([1, 2], () => "g");
  const Records = await stage.receive();
  const seen: number[] = [];
  const handler = stage.function({}, ({ data: { n } }) => {
    seen.push(n);
    if (seen.length === 1) boom();
  });
  const all = Records.map(({ messageId }) => messageId);
  expect(idsOf(await handler({ Records }))).toEqual(all);
  expect(idsOf(await handler({ Records }))).toEqual([]);
  expect(seen).toEqual([1, 1, 2]);
});

test("one router serves a consumer and a function: both hand on the SDK's message", async () => {
  const stage = new LambdaStage("orders", { VisibilityTimeout: 0 });
  const put = { QueueUrl: stage.url, MessageBody: GOOD };
  const MessageAttributes = {
    ...SIX,
    traceparent: text("00-ab-cd-01"),
    count: { DataType: "Number.int", StringValue: "7" },
    raw: { DataType: "Binary", BinaryValue: BYTES },
  };
  await stage.fake.perform({ operation: "SendMessage", input: { ...put, MessageAttributes } });
  const seen: { envelope: Envelope; message: Message; headers: object }[] = [];
  const router = new UrnRouter<Message>().on(URN, (envelope, message, { headers }) => {
    seen.push({ envelope: { ...envelope, attempts: 0 }, message, headers });
  });
  const Records = await stage.receive();
  await createSqsHandler(router)({ Records });
  await new SqsConsumer(stage.client, stage.url, router, { waitTimeSeconds: 0 }).poll();
  const [viaLambda, viaConsumer] = seen;
  const varying = { ReceiptHandle: "", Attributes: {} };
  expect({ ...viaLambda, message: { ...viaLambda?.message, ...varying } }).toEqual({
    ...viaConsumer,
    message: { ...viaConsumer?.message, ...varying, MD5OfMessageAttributes: undefined },
  });
  expect(viaLambda?.headers).toEqual({ traceparent: "00-ab-cd-01", count: "7" });
  expect(viaLambda?.message.Attributes).toMatchObject({ ApproximateReceiveCount: "1" });
});
