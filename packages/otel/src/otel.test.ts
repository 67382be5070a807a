import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AlwaysOffSampler, SamplingDecision } from "@opentelemetry/sdk-trace-base";
import { describe, expect, test } from "vitest";
import { URN } from "./messages.fixture.js";
import { inSpan, startSdk } from "./sdk.fixture.js";
import { startStage } from "./sqs.fixture.js";
import { uuidOf } from "./trace-id.js";

/** Attributes that say at least so much of an operation. */
function about(operation: string): unknown {
  return expect.objectContaining({
    "messaging.system.name": "aws.sqs",
    "messaging.system": "aws_sqs",
    "messaging.operation.name": operation,
    "messaging.operation.type": operation,
    "messaging.destination.name": "orders",
  });
}

describe("a message that is sent alone", () => {
  test("is processed in a child of the span that sent it, in the caller's trace", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await inSpan("POST /orders", () => stage.publisher().publish(URN, { order_id: 1 }));
    await stage.consume(() => inSpan("charge card", async () => undefined));
    expect(spans.tree()).toEqual([
      "POST /orders INTERNAL",
      "  send orders PRODUCER",
      "    process orders CONSUMER",
      "      charge card INTERNAL",
    ]);
    expect(new Set(spans.all.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  test("carries the trace id as its trace_id, and the context as a header", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.publisher().publish(URN, {}, { headers: { tenant: "acme" } });
    const { traceId, spanId } = spans.one("send orders").spanContext();
    expect(await stage.attributes()).toMatchObject({
      "bq-trace-id": uuidOf(traceId),
      traceparent: `00-${traceId}-${spanId}-01`,
      tenant: "acme",
    });
    const [message] = await stage.look();
    expect(JSON.parse(message?.Body ?? "")).toMatchObject({ trace_id: uuidOf(traceId) });
  });

  test("keeps the trace_id that the caller gave", async () => {
    startSdk();
    const stage = await startStage();
    await stage.publisher().publish(URN, {}, { traceId: "of-the-caller" });
    expect(await stage.attributes()).toMatchObject({ "bq-trace-id": "of-the-caller" });
  });

  test("says on both sides what it is", async () => {
    const spans = startSdk();
    const stage = await startStage();
    const id = await stage.publisher().publish(URN, { order_id: 1 });
    const [{ MessageId = "" } = {}] = await stage.look();
    await stage.consume();
    const sent = spans.one("send orders");
    const ofMessage = {
      "messaging.system.name": "aws.sqs",
      "messaging.system": "aws_sqs",
      "messaging.destination.name": "orders",
      "messaging.message.id": MessageId,
      "messaging.message.conversation_id": uuidOf(sent.spanContext().traceId),
      "babelqueue.urn": URN,
      "babelqueue.message.id": id,
    };
    expect(sent.kind).toBe(SpanKind.PRODUCER);
    expect(sent.attributes).toEqual({
      ...ofMessage,
      "messaging.operation.name": "send",
      "messaging.operation.type": "send",
      "babelqueue.attempts": 0,
    });
    const processed = spans.one("process orders");
    expect(processed.kind).toBe(SpanKind.CONSUMER);
    // it was looked at before, which counts as a delivery
    expect(processed.attributes).toEqual({
      ...ofMessage,
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "babelqueue.attempts": 1,
    });
    for (const span of [sent, processed]) {
      expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
      expect(span.instrumentationScope.name).toBe("@babelqueue/otel");
    }
  });

  test("tells samplers the destination, the operation and the system", async () => {
    const seen: unknown[] = [];
    startSdk({
      sampler: {
        shouldSample(_context, _traceId, name, kind, attributes) {
          seen.push([name, kind, attributes]);
          return { decision: SamplingDecision.RECORD_AND_SAMPLED };
        },
        toString: () => "spy",
      },
    });
    const stage = await startStage();
    await stage.publisher().publish(URN, {});
    await stage.publisher().publishBatch([
      { urn: URN, data: {} },
      { urn: URN, data: {} },
    ]);
    expect(seen).toEqual([
      ["send orders", SpanKind.PRODUCER, about("send")],
      ["create orders", SpanKind.PRODUCER, about("create")],
      ["create orders", SpanKind.PRODUCER, about("create")],
      ["send orders", SpanKind.CLIENT, about("send")],
    ]);
  });

  test("that is not sampled says so to its consumer, and is in its trace all the same", async () => {
    const spans = startSdk({ sampler: new AlwaysOffSampler() });
    const stage = await startStage();
    await stage.publisher().publish(URN, {});
    const { traceparent = "", ...others } = await stage.attributes();
    expect(traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
    expect(others["bq-trace-id"]).toBe(uuidOf(traceparent.slice(3, 35)));
    let inHandler: string | undefined;
    await stage.consume(() => {
      inHandler = trace.getActiveSpan()?.spanContext().traceId;
    });
    expect(inHandler).toBe(traceparent.slice(3, 35));
    expect(spans.all).toEqual([]);
  });

  test("that cannot be sent fails its span, with the class of the error", async () => {
    const spans = startSdk();
    const stage = await startStage();
    const tooLarge = stage.publisher().publish(URN, { text: "x".repeat(2 ** 20) });
    await expect(tooLarge).rejects.toThrow("1048576");
    const { status, attributes } = spans.one("send orders");
    expect(attributes["error.type"]).toBe("MessageTooLargeError");
    expect(status).toEqual({
      code: SpanStatusCode.ERROR,
      message: expect.stringContaining("SQS takes 1048576"),
    });
  });
});

describe("messages that are sent together", () => {
  test("a batch: a span for each of them, and one of the send, which links to them", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await inSpan("import", () =>
      stage.publisher().publishBatch([1, 2, 3].map((n) => ({ urn: URN, data: { n } }))),
    );
    await stage.consume();
    expect(spans.tree()).toEqual([
      "import INTERNAL",
      "  create orders PRODUCER",
      "    process orders CONSUMER",
      "  create orders PRODUCER",
      "    process orders CONSUMER",
      "  create orders PRODUCER",
      "    process orders CONSUMER",
      "  send orders CLIENT",
    ]);
    const created = spans.named("create orders").map((span) => span.spanContext());
    const send = spans.one("send orders");
    expect(send.links.map((link) => link.context)).toEqual(created);
    expect(send.attributes).toEqual({
      "messaging.system.name": "aws.sqs",
      "messaging.system": "aws_sqs",
      "messaging.operation.name": "send",
      "messaging.operation.type": "send",
      "messaging.destination.name": "orders",
      "messaging.batch.message_count": 3,
    });
  });

  test("a batch: each span has the ids of its own message", async () => {
    const spans = startSdk();
    const stage = await startStage();
    const { results } = await stage.publisher().publishBatch([
      { urn: URN, data: {} },
      { urn: URN, data: {}, traceId: "given" },
    ]);
    const ids = results.map((result) => (result.ok ? result.id : undefined));
    const created = spans.named("create orders").map((span) => span.attributes);
    expect(created.map((attributes) => attributes["babelqueue.message.id"])).toEqual(ids);
    expect(created[1]).toMatchObject({ "messaging.message.conversation_id": "given" });
    const sent = (await stage.look()).map(({ MessageId }) => MessageId);
    expect(new Set(created.map((attributes) => attributes["messaging.message.id"]))).toEqual(
      new Set(sent),
    );
    for (const attributes of created) {
      expect(attributes).not.toHaveProperty(["messaging.batch.message_count"]);
    }
  });

  test("a batch of which one fails: its span and that of the send say so, the others don't", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.publisher().publishBatch([
      { urn: URN, data: {} },
      { urn: URN, data: { n: Number.NaN } },
    ]);
    expect(spans.tree()).toEqual([
      "create orders PRODUCER",
      "create orders PRODUCER FAILED",
      "send orders CLIENT FAILED",
    ]);
    const failed = spans.all.filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed.map(({ attributes }) => attributes["error.type"])).toEqual([
      "InvalidPayloadError",
      "InvalidPayloadError",
    ]);
  });

  test("a batch of one is sent alone, a batch of none not at all", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.publisher().publishBatch([]);
    await stage.publisher().publishBatch([{ urn: URN, data: {} }]);
    expect(spans.tree()).toEqual(["send orders PRODUCER"]);
  });

  test("publishes that share a request each belong to their own caller", async () => {
    const spans = startSdk();
    const stage = await startStage();
    const publisher = stage.publisher();
    const callers = ["GET /a", "GET /b", "GET /c"];
    await Promise.all(callers.map((name) => inSpan(name, () => publisher.publish(URN, { name }))));
    await stage.consume();
    expect(spans.tree()).toEqual(
      callers.flatMap((name) => [
        `${name} INTERNAL`,
        "  send orders PRODUCER",
        "    process orders CONSUMER",
      ]),
    );
    expect(new Set(spans.all.map((span) => span.spanContext().traceId)).size).toBe(3);
  });

  test("what the transport keeps on a message reaches it", async () => {
    startSdk();
    const stage = await startStage();
    const publisher = stage.publisher();
    await publisher.publish(URN, {}, { delaySeconds: 900 });
    expect(await stage.look()).toEqual([]);
  });
});
