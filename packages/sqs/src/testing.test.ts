import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { InvalidArgumentError } from "@babelqueue/core";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { SqsConsumer, SqsPublisher } from "./index.js";
import * as testing from "./testing.js";

const { startSqs } = testing;

afterEach(() => {
  vi.doUnmock("fauxqs");
  vi.resetModules();
});

test("exports this, and nothing else", () => {
  expect(Object.keys(testing)).toEqual(["startSqs"]);
});

test("one call gives a server with queues, a client and their URLs", async () => {
  const sqs = await startSqs({ queues: ["orders", "accounts.fifo"] });
  onTestFinished(() => sqs.stop());
  expect(new URL(sqs.endpoint).hostname).toBe("127.0.0.1");
  for (const queue of ["orders", "accounts.fifo"]) {
    const url = sqs.queueUrl(queue);
    const id = await new SqsPublisher(sqs.client, url).publish("urn:babel:test:a", { n: 1 });
    const seen: string[] = [];
    const consumer = new SqsConsumer(
      sqs.client,
      url,
      { "urn:babel:test:a": ({ meta }) => seen.push(meta.id) },
      { waitTimeSeconds: 0 },
    );
    expect(await consumer.poll()).toBe(1);
    expect(seen).toEqual([id]);
  }
});

test("a queue is made with SQS's own attributes", async () => {
  const sqs = await startSqs();
  onTestFinished(() => sqs.stop());
  const QueueUrl = await sqs.createQueue("slow", { VisibilityTimeout: "7" });
  expect(sqs.queueUrl("slow")).toBe(QueueUrl);
  const { Attributes } = await sqs.client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["VisibilityTimeout"] }),
  );
  expect(Attributes?.VisibilityTimeout).toBe("7");
});

test("two servers know nothing of each other", async () => {
  const [one, two] = await Promise.all([startSqs({ queues: ["orders"] }), startSqs()]);
  onTestFinished(async () => void (await Promise.all([one.stop(), two.stop()])));
  expect(one.endpoint).not.toBe(two.endpoint);
  expect(() => two.queueUrl("orders")).toThrow(InvalidArgumentError);
  expect(() => one.queueUrl("order")).toThrow("there is no queue order here, but orders");
});

/** Does anybody answer at this URL? */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    request(url, { method: "HEAD" })
      .on("response", () => resolve(true))
      .on("error", () => resolve(false))
      .end();
  });
}

test("only this machine reaches it", async () => {
  const sqs = await startSqs();
  onTestFinished(() => sqs.stop());
  const { port } = new URL(sqs.endpoint);
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4");
  expect(await answers(sqs.endpoint)).toBe(true);
  for (const { address } of outside) expect(await answers(`http://${address}:${port}`)).toBe(false);
});

test("it stops once, however often it is told to, and at the end of its block", async () => {
  const sqs = await startSqs();
  await sqs[Symbol.asyncDispose]();
  await Promise.all([sqs.stop(), sqs.stop()]);
  expect(await answers(sqs.endpoint)).toBe(false);
});

test("a queue that cannot be made leaves no server behind", async () => {
  let isClosed = false;
  vi.doMock("fauxqs", () => ({
    buildApp: () => ({
      listen: async () => "http://127.0.0.1:1",
      close: async () => {
        isClosed = true;
      },
    }),
  }));
  const { startSqs: start } = await import("./testing.js");
  await expect(start({ queues: ["orders"] })).rejects.toThrow("ECONNREFUSED");
  expect(isClosed).toBe(true);
});

test("says what to install where fauxqs is missing", async () => {
  const cause = new Error("Cannot find package 'fauxqs'");
  vi.doMock("fauxqs", () => {
    throw cause;
  });
  const { startSqs: start } = await import("./testing.js");
  await expect(start()).rejects.toThrow("npm install --save-dev fauxqs");
});
