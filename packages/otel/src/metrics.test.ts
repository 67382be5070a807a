import type { MeterProvider } from "@opentelemetry/api";
import type { DataPoint, Histogram, MetricData } from "@opentelemetry/sdk-metrics";
import { expect, test, vi } from "vitest";
import { otel } from "./index.js";
import { ACK, OUTBOUND, RECEIVED, URN } from "./messages.fixture.js";
import { startMetrics, startSdk } from "./sdk.fixture.js";
import { startStage } from "./sqs.fixture.js";

type Points = readonly DataPoint<number | Histogram>[];

function metric(metrics: readonly MetricData[], name: string): MetricData {
  const found = metrics.find(({ descriptor }) => descriptor.name === name);
  if (found === undefined) throw new Error(`No metric ${name}`);
  return found;
}

/** What was counted: the number, or of a histogram how often, and the `error.type`. */
function counted({ dataPoints }: MetricData): [number, unknown][] {
  return (dataPoints as Points).map(({ value, attributes }) => [
    typeof value === "number" ? value : value.count,
    attributes["error.type"],
  ]);
}

test("messages sent and consumed are counted, and how long it took is measured", async () => {
  const collect = startMetrics();
  startSdk();
  const stage = await startStage();
  const publisher = stage.publisher();
  await publisher.publish(URN, {});
  await publisher.publishBatch([
    { urn: URN, data: {} },
    { urn: URN, data: { fails: true } },
    { urn: URN, data: { n: Number.NaN } },
  ]);
  await stage.consume(({ data }: { data: object }) => {
    if ("fails" in data) throw new TypeError("x");
  });
  const metrics = await collect();

  const sent = metric(metrics, "messaging.client.sent.messages");
  expect(counted(sent)).toEqual([
    [3, undefined],
    [1, "InvalidPayloadError"],
  ]);
  const took = metric(metrics, "messaging.client.operation.duration");
  expect(counted(took)).toEqual([
    [1, undefined],
    [1, "InvalidPayloadError"],
  ]);
  const consumed = metric(metrics, "messaging.client.consumed.messages");
  const processed = metric(metrics, "messaging.process.duration");
  for (const data of [consumed, processed]) {
    expect(counted(data).sort(([a], [b]) => b - a)).toEqual([
      [2, undefined],
      [1, "TypeError"],
    ]);
  }

  const about = {
    "messaging.system.name": "aws.sqs",
    "messaging.system": "aws_sqs",
    "messaging.destination.name": "orders",
  };
  expect(sent.dataPoints[0]?.attributes).toEqual({
    ...about,
    "messaging.operation.name": "send",
    "messaging.operation.type": "send",
  });
  expect(processed.dataPoints[0]?.attributes).toMatchObject({
    ...about,
    "messaging.operation.name": "process",
  });
});

test("units and boundaries are those of the conventions; durations are seconds", async () => {
  const collect = startMetrics();
  const stage = await startStage();
  await stage.publisher().publish(URN, {});
  await stage.consume(() => new Promise((resolve) => void setTimeout(resolve, 30)));
  const metrics = await collect();
  expect(
    Object.fromEntries(metrics.map(({ descriptor }) => [descriptor.name, descriptor.unit])),
  ).toEqual({
    "messaging.client.sent.messages": "{message}",
    "messaging.client.consumed.messages": "{message}",
    "messaging.client.operation.duration": "s",
    "messaging.process.duration": "s",
  });
  const [point] = metric(metrics, "messaging.process.duration").dataPoints as Points;
  const histogram = point?.value as Histogram;
  expect(histogram.buckets.boundaries).toEqual([
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
  ]);
  expect(histogram.sum).toBeGreaterThan(0.025);
  expect(histogram.sum).toBeLessThan(5);
});

test("instruments are made once, at the first message, by the provider that is given", async () => {
  const createCounter = vi.fn<() => object>(() => ({ add: () => undefined }));
  const createHistogram = vi.fn<() => object>(() => ({ record: () => undefined }));
  const getMeter = vi.fn<() => object>(() => ({ createCounter, createHistogram }));
  const tracing = otel({ meterProvider: { getMeter } as unknown as MeterProvider });
  expect(getMeter).not.toHaveBeenCalled();
  for (let n = 0; n < 3; n += 1) {
    await tracing.send(async () => [{ ok: true }])([OUTBOUND]);
    await tracing.consume(async () => ACK)(RECEIVED);
  }
  expect(getMeter).toHaveBeenCalledOnce();
  expect(createCounter).toHaveBeenCalledTimes(2);
  expect(createHistogram).toHaveBeenCalledTimes(2);
});
