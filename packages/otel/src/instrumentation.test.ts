import { SpanKind, trace } from "@opentelemetry/api";
import { AwsInstrumentation } from "@opentelemetry/instrumentation-aws-sdk";
import { describe, expect, test } from "vitest";
import { URN } from "./messages.fixture.js";
import { inSpan, type Spans, startSdk } from "./sdk.fixture.js";
import type { Stage } from "./sqs.fixture.js";

/** It patches modules as they are loaded, so what imports the AWS SDK is imported after it. */
const instrumentation = new AwsInstrumentation();
const { startStage } = await import("./sqs.fixture.js");

/** A stage, once the instrumentation too has the SDK of the test. */
async function start(): Promise<[Spans, Stage]> {
  const spans = startSdk();
  instrumentation.setTracerProvider(trace.getTracerProvider());
  const stage = await startStage();
  spans.exporter.reset();
  return [spans, stage];
}

/** Spans of the instrumentation, by the names that it gives them. */
function awsSpans(spans: Spans): string[] {
  return spans.all
    .filter((span) => span.instrumentationScope.name.includes("instrumentation-aws-sdk"))
    .map((span) => `${span.name} ${SpanKind[span.kind]}`);
}

describe("with the instrumentation of the AWS SDK beside it", () => {
  test("plain: the process span is a child of our producer span, and its own spans are there", async () => {
    const [spans, stage] = await start();
    await inSpan("POST /orders", () =>
      stage.publisher().publish(URN, {}, { headers: { tenant: "acme" } }),
    );
    const { spanId } = spans.one("send orders").spanContext();
    const { traceparent, tenant } = await stage.attributes();
    expect(traceparent).toContain(spanId);
    expect(tenant).toBe("acme");
    await stage.consume();
    expect(spans.tree()).toEqual([
      "POST /orders INTERNAL",
      "  send orders PRODUCER",
      "    orders send PRODUCER",
      "    process orders CONSUMER",
      "orders receive CONSUMER",
      "orders receive CONSUMER",
      "SQS.DeleteMessage CLIENT",
    ]);
    expect(awsSpans(spans)).toEqual([
      "orders send PRODUCER",
      "orders receive CONSUMER",
      "orders receive CONSUMER",
      "SQS.DeleteMessage CLIENT",
    ]);
  });

  test("batch: each process span is a child of its own message's span", async () => {
    const [spans, stage] = await start();
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
      "    orders send PRODUCER",
      "orders receive CONSUMER",
      "SQS.DeleteMessageBatch CLIENT",
    ]);
  });

  test("publishes that share a request: each process span is a child of its own caller's", async () => {
    const [spans, stage] = await start();
    const publisher = stage.publisher();
    const callers = ["GET /a", "GET /b"];
    await Promise.all(callers.map((name) => inSpan(name, () => publisher.publish(URN, { name }))));
    await stage.consume();
    const process = spans.named("process orders").map((span) => span.parentSpanContext?.spanId);
    const send = spans.named("send orders").map((span) => span.spanContext().spanId);
    expect(new Set(process)).toEqual(new Set(send));
    expect(awsSpans(spans).filter((name) => name.startsWith("orders send"))).toHaveLength(1);
  });

  test("attributes that are full stay as they are", async () => {
    const [, stage] = await start();
    const headers = { a: "1", b: "1", c: "1" };
    await stage.publisher().publish(URN, {}, { headers });
    expect(Object.keys(await stage.attributes())).toHaveLength(10);
  });

  test("it does write a traceparent of its own over any that is not protected", async () => {
    const [spans, stage] = await start();
    await stage.put("{}", { traceparent: "00-x" });
    const { spanId } = spans.one("orders send").spanContext();
    expect((await stage.attributes())["traceparent"]).toContain(spanId);
  });
});
