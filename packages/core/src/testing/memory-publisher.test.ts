import { expect, test } from "vitest";
import { defineMessage, InvalidArgumentError } from "../index.js";
import { MemoryTransport } from "./index.js";

const URN = "urn:babel:orders:created";

test("publishes a batch, through the middleware, and tells of each what became of it", async () => {
  const memory = new MemoryTransport();
  const sizes: number[] = [];
  const publisher = memory.publisher("orders", {
    middleware: [
      (next) => (batch) => {
        sizes.push(batch.length);
        return next(batch.map((outbound) => ({ ...outbound, headers: { by: "middleware" } })));
      },
    ],
  });
  const { results } = await publisher.publishBatch([
    { urn: URN, data: { n: 1 } },
    { urn: " ", data: {} },
    { urn: URN, data: { n: Number.NaN } },
    { urn: URN, data: { n: 2 }, delaySeconds: 5 },
  ]);
  expect(results.map(({ ok }) => ok)).toEqual([true, false, false, true]);
  expect(sizes).toEqual([3]);
  expect(memory.messages("orders")).toMatchObject([
    { headers: { by: "middleware" }, visibleInSeconds: 0 },
    { headers: { by: "middleware" }, visibleInSeconds: 5 },
  ]);
});

test("a middleware that throws, or gives no result, fails what it was given", async () => {
  const memory = new MemoryTransport();
  const throwing = memory.publisher("orders", {
    middleware: [
      () => async () => {
        throw new Error("no");
      },
    ],
  });
  await expect(throwing.publish(URN, {})).rejects.toThrow("no");
  const silent = memory.publisher("orders", { middleware: [() => async () => []] });
  await expect(silent.publish(URN, {})).rejects.toThrow(InvalidArgumentError);
  expect(memory.messages("orders")).toEqual([]);
});

test("publishes an envelope as it is, and messages of a defined kind", async () => {
  const memory = new MemoryTransport();
  const publisher = memory.publisher("orders");
  await publisher.publish(URN, {});
  const [message] = memory.messages("orders");
  const envelope = message?.envelope;
  if (!envelope) throw new Error("It has an envelope");
  expect(await publisher.publishEnvelope(envelope)).toBe(envelope.meta.id);
  expect(memory.messages("orders")[1]?.body).toBe(message.body);

  const Order = defineMessage({
    urn: URN,
    schema: {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) =>
          typeof (value as { n?: unknown }).n === "number"
            ? { value: value as { n: number } }
            : { issues: [{ message: "no number", path: ["n"] }] },
        types: undefined as { input: { n: number }; output: { n: number } } | undefined,
      },
    },
  });
  await publisher.publish(Order, { n: 1 });
  await expect(publisher.publish(Order, { n: "1" } as never)).rejects.toThrow("/data");
  const { results } = await publisher.publishBatch([{ urn: Order, data: { n: 2 } }]);
  expect(results).toMatchObject([{ ok: true }]);
  expect(memory.messages("orders").map((each) => each.envelope?.data)).toEqual([
    ...[{}, {}],
    ...[{ n: 1 }, { n: 2 }],
  ]);
});
