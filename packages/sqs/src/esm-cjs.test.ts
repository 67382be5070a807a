import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import type { Message } from "@aws-sdk/client-sqs";
import * as core from "@babelqueue/core";
import { describe, expect, test } from "vitest";
import { bodyText, rejection, URN } from "./contract.fixture.js";
import * as sqs from "./index.js";
import { FakeServer, type Server } from "./servers.fixture.js";

/** The CommonJS build beside the ES modules under test, as two dependencies of one program may have it. */
function required(build: string): unknown {
  const path = new URL(build, import.meta.url);
  if (!existsSync(path)) throw new Error(`${path.pathname} is missing: run \`pnpm build\` first`);
  return createRequire(import.meta.url)(path.pathname) as unknown;
}

const cjsCore = required("../../core/dist/index.cjs") as typeof core;
const cjsSqs = required("../dist/index.cjs") as typeof sqs;

test("they are two copies", () => {
  expect(cjsCore.UrnRouter).not.toBe(core.UrnRouter);
  expect(cjsSqs.SqsConsumer).not.toBe(sqs.SqsConsumer);
});

/** One builds the router and throws, the other consumes; and the other way round. */
describe.each([
  ["an ESM consumer, a CJS router", sqs.SqsConsumer, cjsCore],
  ["a CJS consumer, an ESM router", cjsSqs.SqsConsumer, core],
] as const)("%s", (_, SqsConsumer, routers) => {
  async function consume(
    handler: () => unknown,
    bodies: readonly string[],
  ): Promise<{ errors: unknown[]; server: Server; url: string }> {
    const server = new FakeServer();
    const url = await server.createQueue();
    for (const body of bodies) await server.put(url, body);
    const errors: unknown[] = [];
    const router = new routers.UrnRouter<Message>().on(URN, handler);
    const consumer = new SqsConsumer(server.client, url, router, {
      waitTimeSeconds: 0,
      onError: (error) => errors.push(error),
      unknownUrnStrategy: routers.UnknownUrnStrategy.FAIL,
      releaseDelaySeconds: routers.exponentialBackoff({ baseSeconds: 0 }),
    });
    await consumer.poll();
    return { errors, server, url };
  }

  test("routes", async () => {
    const { errors, server, url } = await consume(() => undefined, [bodyText()]);
    expect(errors).toEqual([]);
    expect(await server.placeOf(url)).toBe("gone");
  });

  test("a router of either is a UrnRouter of both", () => {
    const router = new routers.UrnRouter();
    for (const { UrnRouter } of [core, cjsCore]) expect(router).toBeInstanceOf(UrnRouter);
  });

  test("the errors of either are recognised by both", async () => {
    const thrown = new routers.InvalidPayloadError("/data", "is odd");
    const { errors } = await consume(() => {
      throw thrown;
    }, [bodyText(), "{", bodyText({ job: '"urn:unknown"' })]);
    expect(errors).toHaveLength(3);
    expect(errors).toContain(thrown);
    for (const copy of [core, cjsCore]) {
      for (const error of errors) expect(error).toBeInstanceOf(copy.BabelQueueError);
      const kinds = [copy.InvalidPayloadError, copy.InvalidEnvelopeError, copy.UnknownUrnError];
      for (const kind of kinds) {
        expect(errors.filter((error) => error instanceof kind)).toHaveLength(1);
      }
    }
  });
});

describe.each([
  ["ESM", sqs],
  ["CJS", cjsSqs],
] as const)("the errors of the %s build", (_, { SqsPublisher }) => {
  test("are those of both", async () => {
    const server = new FakeServer();
    const url = await server.createQueue();
    const missing = new SqsPublisher(server.client, `${url}-nowhere`);
    const publisher = new SqsPublisher(server.client, url);
    const send = await rejection(missing.publish(URN, {}));
    const large = await rejection(publisher.publish(URN, { a: "x".repeat(1_048_576) }));
    const payload = await rejection(publisher.publish(URN, { a: Number.NaN }));
    for (const copy of [sqs, cjsSqs]) {
      expect(send).toBeInstanceOf(copy.SqsSendError);
      expect(send).toBeInstanceOf(copy.SqsRequestError);
      expect(send).not.toBeInstanceOf(copy.SqsDeleteError);
      expect(large).toBeInstanceOf(copy.MessageTooLargeError);
      expect(large).not.toBeInstanceOf(copy.SqsRequestError);
    }
    for (const copy of [core, cjsCore]) {
      expect(payload).toBeInstanceOf(copy.InvalidPayloadError);
      for (const error of [send, large, payload]) {
        expect(error).toBeInstanceOf(copy.BabelQueueError);
      }
    }
  });
});

test("what a CJS publisher sends, an ESM consumer handles", async () => {
  const server = new FakeServer();
  const url = await server.createQueue();
  await new cjsSqs.SqsPublisher(server.client, url).publish(URN, { id: 2n ** 64n });
  const seen: unknown[] = [];
  const handlers = { [URN]: ({ data }: core.Envelope) => seen.push(data) };
  await new sqs.SqsConsumer(server.client, url, handlers, { waitTimeSeconds: 0 }).poll();
  expect(seen).toEqual([{ id: 2n ** 64n }]);
});
