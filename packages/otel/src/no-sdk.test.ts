import { createHash } from "node:crypto";
import type { Outbound, Route, Send } from "@babelqueue/core";
import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { describe, expect, test, vi } from "vitest";
import { PRODUCER } from "./contexts.fixture.js";
import { otel } from "./index.js";
import { ACK, OUTBOUND, RECEIVED, URN } from "./messages.fixture.js";
import { startMetrics, startSdk } from "./sdk.fixture.js";
import { startStage } from "./sqs.fixture.js";

vi.mock("node:crypto", { spy: true });

describe("with no SDK registered", () => {
  test("a batch is passed on as it is, and so is the promise of its results", () => {
    const batch = [OUTBOUND, OUTBOUND];
    const results = Promise.resolve([]);
    const next = vi.fn<Send>(() => results);
    expect(otel().send(next)(batch)).toBe(results);
    expect(next.mock.calls[0]?.[0]).toBe(batch);
  });

  test("a delivery is passed on as it is, and so is the promise of its outcome; nothing is hashed", () => {
    const outcome = Promise.resolve(ACK);
    const next = vi.fn<Route>(() => outcome);
    vi.mocked(createHash).mockClear();
    expect(otel().consume(next)(RECEIVED)).toBe(outcome);
    expect(next.mock.calls[0]?.[0]).toBe(RECEIVED);
    expect(createHash).not.toHaveBeenCalled();
  });

  test("a message has the contract's six attributes, and a trace_id that is not all zeros", async () => {
    const stage = await startStage();
    const publisher = stage.publisher();
    await publisher.publish(URN, {});
    const attributes = await stage.attributes();
    expect(Object.keys(attributes).sort()).toEqual([
      "bq-created-at",
      "bq-job",
      "bq-message-id",
      "bq-schema-version",
      "bq-source-lang",
      "bq-trace-id",
    ]);
    expect(attributes["bq-trace-id"]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/);
    await expect(stage.consume()).resolves.toBe(1);
    expect(stage.errors).toEqual([]);
  });

  test("batches too: no trace_id is all zeros", async () => {
    const stage = await startStage();
    await stage.publisher().publishBatch([1, 2, 3].map(() => ({ urn: URN, data: {} })));
    const bodies = (await stage.look()).map(({ Body = "" }) => Body);
    expect(bodies).toHaveLength(3);
    for (const body of bodies) expect(body).not.toContain("00000000-0000-0000-0000-000000000000");
  });

  test("a context that something else made is passed on all the same", async () => {
    startSdk();
    // what is left is a context manager and a propagator
    trace.disable();
    const stage = await startStage();
    await context.with(trace.setSpanContext(ROOT_CONTEXT, PRODUCER), async () => {
      await stage.publisher().publish(URN, {});
      await stage.publisher().publishBatch([
        { urn: URN, data: {} },
        { urn: URN, data: {} },
      ]);
    });
    const messages = await stage.look();
    expect(messages).toHaveLength(3);
    for (const { MessageAttributes = {} } of messages) {
      expect(MessageAttributes["traceparent"]?.StringValue).toBe(
        `00-${PRODUCER.traceId}-${PRODUCER.spanId}-01`,
      );
      expect(MessageAttributes["bq-trace-id"]?.StringValue).toBe(
        "4bf92f35-77b3-4da6-a3ce-929d0e0e4736",
      );
    }
  });
});

describe("an SDK that makes metrics only", () => {
  test("measures, makes no spans, and leaves the trace_id alone", async () => {
    const collect = startMetrics();
    const seen: (readonly Outbound[])[] = [];
    const tracing = otel();
    for (const batch of [[OUTBOUND], [OUTBOUND, OUTBOUND]]) {
      await tracing.send(async (given) => {
        seen.push(given);
        return given.map(() => ({ ok: true }));
      })(batch);
    }
    await tracing.consume(async () => ACK)(RECEIVED);
    expect(seen).toEqual([[OUTBOUND], [OUTBOUND, OUTBOUND]]);
    expect((await collect()).map(({ descriptor }) => descriptor.name).sort()).toEqual([
      "messaging.client.consumed.messages",
      "messaging.client.operation.duration",
      "messaging.client.sent.messages",
      "messaging.process.duration",
    ]);
  });
});

describe("an SDK that starts late", () => {
  test("gets the spans from then on, of what was used before", async () => {
    const stage = await startStage();
    const publisher = stage.publisher();
    const consumer = stage.consumer(() => undefined);
    await publisher.publish(URN, {});
    await consumer.poll();
    const spans = startSdk();
    const collect = startMetrics();
    await publisher.publish(URN, {});
    await consumer.poll();
    expect(spans.tree()).toEqual(["send orders PRODUCER", "  process orders CONSUMER"]);
    expect(await collect()).toHaveLength(4);
  });
});
