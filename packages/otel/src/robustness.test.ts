import type { Route, Send, Warning } from "@babelqueue/core";
import type { TextMapPropagator } from "@opentelemetry/api";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { otel } from "./index.js";
import { ACK, OUTBOUND, RECEIVED } from "./messages.fixture.js";
import type { OtelOptions } from "./options.js";
import { startSdk } from "./sdk.fixture.js";

function broken(): never {
  throw new RangeError("jane@example.com");
}

const BROKEN_PROPAGATOR: TextMapPropagator = { inject: broken, extract: broken, fields: () => [] };
const BROKEN_PARTS: [string, OtelOptions][] = [
  ["propagator", { propagator: BROKEN_PROPAGATOR }],
  ["tracer provider", { tracerProvider: { getTracer: broken } }],
  ["meter provider", { meterProvider: { getMeter: broken } }],
  ["tracer", { tracerProvider: { getTracer: () => ({ startSpan: broken }) as never } }],
  [
    "span processor",
    {
      tracerProvider: new NodeTracerProvider({
        spanProcessors: [
          {
            onStart: () => undefined,
            onEnd: broken,
            forceFlush: async () => undefined,
            shutdown: async () => undefined,
          },
        ],
      }),
    },
  ],
];

describe("tracing that is broken fails neither a send nor a handler", () => {
  test.each(BROKEN_PARTS)(
    "a %s that throws: one warning, without what it said",
    async (_, parts) => {
      startSdk();
      const warnings: Warning[] = [];
      const tracing = otel({ ...parts, onWarning: (warning) => warnings.push(warning) });
      const send = vi.fn<Send>(async (batch) => batch.map(() => ({ ok: true, messageId: "m" })));
      const handle = vi.fn<Route>(async () => ACK);
      for (const batch of [[OUTBOUND], [OUTBOUND, OUTBOUND]]) {
        const results = await tracing.send(send)(batch);
        expect(results).toEqual(batch.map(() => ({ ok: true, messageId: "m" })));
        expect(send.mock.lastCall?.[0]).toHaveLength(batch.length);
        await expect(tracing.consume(handle)(RECEIVED)).resolves.toBe(ACK);
        expect(handle.mock.lastCall?.[0]).toBe(RECEIVED);
      }
      expect(warnings).toEqual([
        {
          code: "tracing_failed",
          message: "Tracing failed with RangeError; the message went on without.",
        },
      ]);
    },
  );

  test("a propagator that throws leaves the span, and the trace id in the trace_id", async () => {
    const spans = startSdk();
    const tracing = otel({ propagator: BROKEN_PROPAGATOR, onWarning: () => undefined });
    const send = vi.fn<Send>(async () => [{ ok: true }]);
    await tracing.send(send)([{ ...OUTBOUND, headers: { mine: "x" } }]);
    const { traceId } = spans.one("send orders").spanContext();
    const [sent] = send.mock.lastCall?.[0] ?? [];
    expect(sent?.headers).toEqual({ mine: "x" });
    expect(sent?.envelope.trace_id.replaceAll("-", "")).toBe(traceId);
  });

  test("nobody listens: a process warning", async () => {
    const emitWarning = vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(() => emitWarning.mockRestore());
    startSdk();
    await otel({ propagator: BROKEN_PROPAGATOR }).consume(async () => ACK)(RECEIVED);
    expect(emitWarning).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining("Tracing failed with RangeError"),
      { type: "BabelQueueWarning", code: "tracing_failed" },
    );
  });
});

test.each([new Error("broken"), "broken"])(
  "a send that rejects with %j, as none should: the spans fail, and so does the send",
  async (thrown) => {
    const spans = startSdk();
    const send = otel().send(async () => {
      // oxlint-disable-next-line typescript/only-throw-error -- that is the point
      throw thrown;
    });
    await expect(send([OUTBOUND, OUTBOUND])).rejects.toBe(thrown);
    expect(spans.tree()).toEqual([
      "create orders PRODUCER FAILED",
      "create orders PRODUCER FAILED",
      "send orders CLIENT FAILED",
    ]);
  },
);

test("a send that answers too much or too little: the spans end all the same", async () => {
  const spans = startSdk();
  await otel().send(async () => [{ ok: true }])([OUTBOUND, OUTBOUND]);
  await otel().send(async () => [{ ok: true }, { ok: false, error: new Error("x") }])([OUTBOUND]);
  expect(spans.all).toHaveLength(4);
});

test("each kind of header that is left out is warned of once, and only so many are remembered", async () => {
  startSdk();
  const warnings: Warning[] = [];
  let name = "";
  const propagator: TextMapPropagator = {
    inject: (_context, carrier, setter) => setter.set(carrier, name, "x"),
    extract: (into) => into,
    fields: () => [],
  };
  const send = otel({ propagator, onWarning: (warning) => warnings.push(warning) }).send(
    async (batch) => batch.map(() => ({ ok: true })),
  );
  const outbound = { ...OUTBOUND, headerLimit: 0 };
  for (let n = 0; n < 101; n += 1) {
    name = `header-${n}`;
    await send([outbound, outbound]);
  }
  expect(warnings).toHaveLength(101);
  name = "header-0";
  await send([outbound]);
  expect(warnings.map(({ header }) => header).slice(-2)).toEqual(["header-100", "header-0"]);
});

test("providers that are given are used instead of the registered ones", async () => {
  const registered = startSdk();
  const names: (string | undefined)[] = [];
  const tracerProvider = {
    getTracer(name: string) {
      names.push(name);
      return new NodeTracerProvider().getTracer(name);
    },
  };
  await otel({ tracerProvider }).consume(async () => ACK)(RECEIVED);
  expect(names).toEqual(["@babelqueue/otel"]);
  expect(registered.all).toEqual([]);
});
