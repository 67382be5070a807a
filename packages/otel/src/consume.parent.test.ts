import { context, propagation } from "@opentelemetry/api";
import { describe, expect, test } from "vitest";
import { DERIVED, PRODUCER, TRACE_ID, TRACEPARENT } from "./contexts.fixture.js";
import { URN } from "./messages.fixture.js";
import { inSpan, type Spans, startSdk } from "./sdk.fixture.js";
import { foreignBody, startStage } from "./sqs.fixture.js";

/** The parent of the only `process` span. */
function parentIn(spans: Spans): { traceId: string; spanId: string } | undefined {
  const parent = spans.one("process orders").parentSpanContext;
  return parent && { traceId: parent.traceId, spanId: parent.spanId };
}

const { traceId, spanId } = PRODUCER;

describe("the parent of a process span", () => {
  test("is what the traceparent names, and it links to it", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.put(foreignBody(TRACE_ID), { traceparent: TRACEPARENT, tracestate: "vendor=1" });
    await stage.consume();
    expect(parentIn(spans)).toEqual({ traceId, spanId });
    const { links, parentSpanContext } = spans.one("process orders");
    expect(links.map((link) => link.context)).toEqual([expect.objectContaining(PRODUCER)]);
    expect(parentSpanContext).toMatchObject({ isRemote: true });
    expect(parentSpanContext?.traceState?.get("vendor")).toBe("1");
  });

  test("is derived from the trace_id of another SDK's message, and nothing is linked to", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.put(foreignBody(TRACE_ID));
    await stage.consume();
    expect(parentIn(spans)).toEqual(DERIVED);
    const { links, parentSpanContext, attributes } = spans.one("process orders");
    expect(links).toEqual([]);
    expect(parentSpanContext).toMatchObject({ isRemote: true, traceFlags: 1 });
    expect(attributes).toMatchObject({ "messaging.message.conversation_id": TRACE_ID });
  });

  test("is none where the trace_id is the nil UUID", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.put(foreignBody("00000000-0000-0000-0000-000000000000"));
    await stage.consume();
    expect(parentIn(spans)).toBeUndefined();
    expect(spans.one("process orders").spanContext().traceId).not.toMatch(/^0+$/);
  });

  test("is none by option, where there is no traceparent", async () => {
    const spans = startSdk();
    const stage = await startStage({ parentFromTraceId: false });
    await stage.put(foreignBody(TRACE_ID));
    await stage.consume();
    expect(parentIn(spans)).toBeUndefined();

    await stage.put(foreignBody(TRACE_ID), { traceparent: TRACEPARENT });
    await stage.consume();
    expect(spans.named("process orders")[1]?.parentSpanContext).toMatchObject(PRODUCER);
  });

  test.each([
    ["version ff", `ff-${traceId}-${spanId}-01`],
    ["a trace id of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
    ["a span id of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
    ["upper case", TRACEPARENT.toUpperCase()],
    ["a tail on version 00", `${TRACEPARENT}-more`],
    ["digits that are none", `00-${"g".repeat(32)}-${spanId}-01`],
    ["a trace id too short", `00-${traceId.slice(1)}-${spanId}-01`],
    ["no flags", `00-${traceId}-${spanId}`],
    ["another text", "traceparent"],
  ])("is derived where the traceparent is malformed: %s", async (_, traceparent) => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.put(foreignBody(TRACE_ID), { traceparent });
    await expect(stage.consume()).resolves.toBe(1);
    expect(parentIn(spans)).toEqual(DERIVED);
    expect(stage.errors).toEqual([]);
  });

  test.each([
    ["as we know it", `cc-${traceId}-${spanId}-01`],
    ["with more in it", `cc-${traceId}-${spanId}-01-what-the-future-brings`],
  ])("is what a traceparent of a future version names: %s", async (_, traceparent) => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.put(foreignBody(TRACE_ID), { traceparent });
    await stage.consume();
    expect(parentIn(spans)).toEqual({ traceId, spanId });
  });

  test("is never what surrounds the consumer; that is linked to", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.publisher().publish(URN, {});
    const baggage = propagation.createBaggage({ of: { value: "the consumer" } });
    let inHandler: unknown;
    await inSpan("lambda", () =>
      context.with(propagation.setBaggage(context.active(), baggage), () =>
        stage.consume(() => {
          inHandler = propagation.getActiveBaggage();
        }),
      ),
    );
    expect(spans.tree()).toEqual([
      "send orders PRODUCER",
      "  process orders CONSUMER",
      "lambda INTERNAL",
    ]);
    const linked = spans.one("process orders").links.map((link) => link.context.spanId);
    const ids = ["send orders", "lambda"].map((name) => spans.one(name).spanContext().spanId);
    expect(linked).toEqual(ids);
    expect(inHandler).toBeUndefined();
  });
});
