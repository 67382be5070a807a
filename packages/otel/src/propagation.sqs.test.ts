import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import { B3Propagator } from "@opentelemetry/propagator-b3";
import { describe, expect, test } from "vitest";
import { PRODUCER } from "./contexts.fixture.js";
import { DatadogPropagator } from "./datadog.fixture.js";
import { URN } from "./messages.fixture.js";
import { B3_MULTI, B3_NAMES, composite, own, W3C } from "./propagators.fixture.js";
import { startSdk } from "./sdk.fixture.js";
import { startStage } from "./sqs.fixture.js";

describe("propagation over SQS", () => {
  test.each([
    ["B3 in many headers", B3_MULTI, B3_NAMES],
    ["B3 in one", new B3Propagator(), ["b3"]],
    ["Datadog's", new DatadogPropagator(), new DatadogPropagator().fields()],
    ["W3C and B3", composite(W3C, B3_MULTI), ["traceparent", ...B3_NAMES]],
  ])("%s: a child of the producer", async (_, propagator, names) => {
    const spans = startSdk({ propagator });
    const stage = await startStage();
    await stage.publisher().publish(URN, {});
    const riders = Object.keys(await stage.attributes()).filter((name) => !name.startsWith("bq-"));
    expect(riders.sort()).toEqual([...names].sort());
    await stage.consume();
    expect(spans.tree()).toEqual(["send orders PRODUCER", "  process orders CONSUMER"]);
    expect(stage.warnings).toEqual([]);
  });

  test("the propagator of an option is used instead of the registered one", async () => {
    const spans = startSdk();
    const stage = await startStage({ propagator: B3_MULTI });
    await stage.publisher().publish(URN, {});
    expect(await stage.attributes()).not.toHaveProperty("traceparent");
    await stage.consume();
    expect(spans.tree()).toEqual(["send orders PRODUCER", "  process orders CONSUMER"]);
  });

  test("5 headers of the caller's beside the contract's 6: sent, with the traceparent", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.publisher().publish(URN, {}, { headers: own(5) });
    const names = Object.keys(await stage.attributes());
    expect(names).toHaveLength(10);
    expect(names.filter((name) => !name.startsWith("bq-")).sort()).toEqual([
      "own-0",
      "own-1",
      "own-2",
      "traceparent",
    ]);
    await stage.consume();
    expect(spans.tree()).toEqual(["send orders PRODUCER", "  process orders CONSUMER"]);
  });

  test("B3 beside 4 headers of the caller's: left out with one warning, and the trace goes on by trace_id", async () => {
    const spans = startSdk({ propagator: B3_MULTI });
    const stage = await startStage();
    const publisher = stage.publisher();
    await publisher.publish(URN, {}, { headers: own(4) });
    await publisher.publish(URN, {}, { headers: own(4) });
    const messages = await stage.look();
    for (const { MessageAttributes = {} } of messages) {
      const riders = Object.keys(MessageAttributes).filter((name) => !name.startsWith("bq-"));
      expect(riders.sort()).toEqual(Object.keys(own(4)));
    }
    expect(stage.warnings).toEqual([
      {
        code: "header_left_out",
        header: "x-b3-traceid, x-b3-spanid, x-b3-sampled",
        message: expect.stringContaining("room for 4 headers"),
      },
    ]);
    await stage.consume();
    const traces = (name: string): string[] =>
      spans.named(name).map((span) => span.spanContext().traceId);
    expect(traces("process orders").sort()).toEqual(traces("send orders").sort());
  });

  test("a tracestate that a vendor emptied does not cost the message", async () => {
    startSdk();
    const stage = await startStage();
    const emptied = trace.setSpanContext(ROOT_CONTEXT, {
      ...PRODUCER,
      isRemote: true,
      traceState: new TraceState("not a member"),
    });
    await context.with(emptied, () => stage.publisher().publish(URN, {}));
    expect(await stage.attributes()).not.toHaveProperty("tracestate");
  });
});
