import type { Envelope, Route } from "@babelqueue/core";
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { describe, expect, test } from "vitest";
import { PRODUCER, TRACE_ID, TRACEPARENT } from "./contexts.fixture.js";
import { otel } from "./index.js";
import { ACK, RECEIVED, URN } from "./messages.fixture.js";
import { inSpan, startSdk } from "./sdk.fixture.js";
import { foreignBody, startStage } from "./sqs.fixture.js";

describe("what goes wrong", () => {
  test("a handler that throws: the span fails, with the class and without the message", async () => {
    class CardDeclinedError extends Error {}
    const spans = startSdk();
    const stage = await startStage();
    await stage.publisher().publish(URN, {});
    let inHook: unknown;
    await stage.consume(
      () => {
        throw new CardDeclinedError("card 4711 of Jane Doe");
      },
      { onError: () => void (inHook = trace.getActiveSpan()?.spanContext()) },
    );
    const span = spans.one("process orders");
    expect(span.attributes["error.type"]).toBe("CardDeclinedError");
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(JSON.stringify([span.attributes, span.events])).not.toContain("Jane");
    expect(inHook).toEqual(span.spanContext());
  });

  test.each([
    ["an error of the language", new TypeError("x"), "TypeError"],
    ["an error with a name", Object.assign(new Error("x"), { name: "Odd" }), "Odd"],
    ["something that is no error", "x", "Error"],
    ["undefined", undefined, "Error"],
  ])("error.type of %s", async (_, thrown, type) => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.publisher().publish(URN, {});
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is the point
    await stage.consume(() => Promise.reject(thrown));
    expect(spans.one("process orders").attributes["error.type"]).toBe(type);
  });

  test("redelivery: a span each time, attempts grow, the trace and the parent stay", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await inSpan("POST /orders", () => stage.publisher().publish(URN, {}));
    for (let round = 0; round < 3; round += 1) {
      await stage.consume(({ attempts }: { attempts: number }) => {
        if (attempts < 2) throw new Error("not yet");
      });
    }
    expect(spans.tree()).toEqual([
      "POST /orders INTERNAL",
      "  send orders PRODUCER",
      "    process orders CONSUMER FAILED",
      "    process orders CONSUMER FAILED",
      "    process orders CONSUMER",
    ]);
    const processed = spans.named("process orders");
    expect(processed.map(({ attributes }) => attributes["babelqueue.attempts"])).toEqual([0, 1, 2]);
    expect(new Set(spans.all.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  test("a poison message: a span with the error and no envelope, in the producer's trace", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.put("{", { traceparent: TRACEPARENT });
    await stage.put("{");
    await stage.consume();
    const [within, root] = [...spans.named("process orders")].sort((a) =>
      a.parentSpanContext === undefined ? 1 : -1,
    );
    expect(within?.parentSpanContext).toMatchObject(PRODUCER);
    expect(root?.parentSpanContext).toBeUndefined();
    for (const span of [within, root]) {
      expect(span?.kind).toBe(SpanKind.CONSUMER);
      expect(span?.attributes).toEqual({
        "messaging.system.name": "aws.sqs",
        "messaging.system": "aws_sqs",
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": "orders",
        "messaging.message.id": expect.any(String),
        "error.type": "InvalidEnvelopeError",
      });
      expect(span?.status).toEqual({
        code: SpanStatusCode.ERROR,
        message: expect.stringMatching(/^Not a BabelQueue envelope/),
      });
    }
  });

  test("a gated message: the same", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.put(foreignBody(TRACE_ID), { "bq-schema-version": "2" });
    await stage.consume();
    const { attributes, parentSpanContext } = spans.one("process orders");
    expect(attributes).toMatchObject({ "error.type": "UnsupportedSchemaVersionError" });
    expect(Object.keys(attributes).filter((name) => name.startsWith("babelqueue."))).toEqual([]);
    expect(attributes).not.toHaveProperty(["messaging.message.conversation_id"]);
    expect(parentSpanContext).toBeUndefined();
  });

  test("an unknown URN: the span fails", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.publisher().publish("urn:babel:nobody:knows", {});
    await stage.consume();
    expect(spans.one("process orders").attributes).toMatchObject({
      "error.type": "UnknownUrnError",
      "babelqueue.urn": "urn:babel:nobody:knows",
    });
  });

  test.each([new Error("broken"), "broken"])(
    "a route that rejects with %j, as no route should: the span fails, and so does the route",
    async (thrown) => {
      const spans = startSdk();
      const route: Route = otel().consume(async () => {
        // oxlint-disable-next-line typescript/only-throw-error -- that is the point
        throw thrown;
      });
      await expect(route(RECEIVED)).rejects.toBe(thrown);
      expect(spans.tree()).toEqual(["? process orders CONSUMER FAILED"]);
    },
  );
});

test("a message without a meta.id, on a broker without ids: a span without them", async () => {
  const spans = startSdk();
  const meta = { schema_version: 1 } as Envelope["meta"];
  const received = { ...RECEIVED, envelope: { ...RECEIVED.envelope, meta } };
  await otel().consume(async () => ACK)(received);
  const { attributes } = spans.one("process orders");
  expect(attributes).toMatchObject({ "messaging.system.name": "memory", "babelqueue.urn": URN });
  expect(attributes).not.toHaveProperty(["messaging.message.id"]);
  expect(attributes).not.toHaveProperty(["babelqueue.message.id"]);
});

test("baggage of the producer reaches the handler", async () => {
  startSdk();
  const stage = await startStage();
  const baggage = propagation.createBaggage({ tenant: { value: "acme" } });
  await context.with(propagation.setBaggage(ROOT_CONTEXT, baggage), () =>
    stage.publisher().publish(URN, {}),
  );
  let tenant: string | undefined;
  await stage.consume(() => {
    tenant = propagation.getActiveBaggage()?.getEntry("tenant")?.value;
  });
  expect(tenant).toBe("acme");
});

test("what a handler publishes goes on with the trace, and with the trace_id", async () => {
  const spans = startSdk();
  const stage = await startStage();
  const publisher = stage.publisher();
  await publisher.publish(URN, {});
  let rounds = 0;
  const traceIds: string[] = [];
  const handle = async (
    envelope: { trace_id: string },
    _message: unknown,
    { headers }: { headers: Record<string, string> },
  ): Promise<void> => {
    traceIds.push(envelope.trace_id);
    rounds += 1;
    // received headers, passed on as they are, name the context of the message that had them
    if (rounds < 3) await publisher.publish(URN, {}, { headers });
  };
  for (let round = 0; round < 3; round += 1) await stage.consume(handle);
  expect(spans.tree()).toEqual([
    "send orders PRODUCER",
    "  process orders CONSUMER",
    "    send orders PRODUCER",
    "      process orders CONSUMER",
    "        send orders PRODUCER",
    "          process orders CONSUMER",
  ]);
  expect(new Set(traceIds).size).toBe(1);
});
