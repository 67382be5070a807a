import type { Headers } from "@babelqueue/core";
import {
  context,
  propagation,
  ROOT_CONTEXT,
  type TextMapPropagator,
  trace,
} from "@opentelemetry/api";
import { TraceState, W3CBaggagePropagator } from "@opentelemetry/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { PRODUCER, TRACEPARENT } from "./contexts.fixture.js";
import { extractContext, injectContext } from "./index.js";
import { inject } from "./propagation.js";
import { B3_MULTI, B3_NAMES, composite, own, W3C } from "./propagators.fixture.js";
import { startSdk } from "./sdk.fixture.js";

const BAGGAGE = propagation.createBaggage({ tenant: { value: "acme" } });
const WITHIN = propagation.setBaggage(trace.setSpanContext(ROOT_CONTEXT, PRODUCER), BAGGAGE);
const WITH_STATE = trace.setSpanContext(ROOT_CONTEXT, {
  ...PRODUCER,
  traceState: new TraceState("vendor=1"),
});

/** Registers a propagator, and nothing else, until the test is finished. */
function register(propagator: TextMapPropagator): void {
  propagation.setGlobalPropagator(propagator);
  onTestFinished(() => propagation.disable());
}

/** A propagator that writes these headers, whatever the context. */
function writing(headers: Headers): TextMapPropagator {
  return {
    inject(_context, carrier, setter) {
      for (const [name, value] of Object.entries(headers)) setter.set(carrier, name, value);
    },
    extract: (into) => into,
    fields: () => Object.keys(headers),
  };
}

describe("injectContext", () => {
  test("returns a copy with what the registered propagator writes", () => {
    register(composite(W3C, new W3CBaggagePropagator()));
    const headers = Object.freeze({ tenant: "acme" });
    expect(injectContext(headers, WITHIN)).toEqual({
      tenant: "acme",
      traceparent: TRACEPARENT,
      baggage: "tenant=acme",
    });
    expect(headers).toEqual({ tenant: "acme" });
  });

  test("takes the active context unless told otherwise", () => {
    startSdk();
    context.with(WITHIN, () => {
      expect(injectContext({})).toMatchObject({ traceparent: TRACEPARENT });
      expect(injectContext({}, ROOT_CONTEXT)).toEqual({});
    });
  });

  test("returns a copy of the headers where no propagator is registered", () => {
    const headers = { traceparent: "of the caller" };
    const injected = injectContext(headers, WITHIN);
    expect(injected).toEqual(headers);
    expect(injected).not.toBe(headers);
  });
});

describe("extractContext", () => {
  test.each([
    ["headers", { traceparent: TRACEPARENT }],
    ["names in any case", { TraceParent: TRACEPARENT }],
    [
      "attributes of a Lambda record",
      { traceparent: { stringValue: TRACEPARENT, dataType: "String" } },
    ],
    [
      "attributes of the AWS SDK",
      { traceparent: { StringValue: TRACEPARENT, DataType: "String" } },
    ],
  ])("reads %s", (_, headers) => {
    register(W3C);
    expect(trace.getSpanContext(extractContext(headers))).toMatchObject(PRODUCER);
  });

  test("reads a whole Lambda record: trace context, baggage, and what has no text", () => {
    register(composite(W3C, new W3CBaggagePropagator()));
    const extracted = extractContext({
      traceparent: { stringValue: TRACEPARENT },
      tracestate: { stringValue: "vendor=1" },
      baggage: { stringValue: "tenant=acme" },
      picture: { binaryValue: "AAAA" } as object,
      nothing: undefined,
    });
    expect(trace.getSpanContext(extracted)?.traceState?.get("vendor")).toBe("1");
    expect(propagation.getBaggage(extracted)?.getEntry("tenant")?.value).toBe("acme");
  });

  test("reads the B3 of a language that writes it in capitals", () => {
    register(B3_MULTI);
    const extracted = extractContext({
      "X-B3-TraceId": PRODUCER.traceId,
      "X-B3-SpanId": PRODUCER.spanId,
      "X-B3-Sampled": "1",
    });
    expect(trace.getSpanContext(extracted)).toMatchObject(PRODUCER);
  });

  test("starts from the root context, not from the active one", () => {
    startSdk();
    context.with(WITHIN, () => {
      const extracted = extractContext({});
      expect(trace.getSpanContext(extracted)).toBeUndefined();
      expect(propagation.getBaggage(extracted)).toBeUndefined();
    });
  });

  test("derives the parent where a propagator extracts ids that are none", () => {
    register({
      ...writing({}),
      extract: (into) => trace.setSpanContext(into, { ...PRODUCER, traceId: "nonsense" }),
    });
    const traceId = "c41f09aa-8d27-4b6e-b0f5-2a9d13e7760b";
    expect(trace.getSpanContext(extractContext({}, traceId))?.spanId).toBe("356ff08d42a2899d");
    expect(trace.getSpanContext(extractContext({}))).toBeUndefined();
  });

  test("lets a propagator ask for all names", () => {
    register({
      ...writing({}),
      extract: (into, carrier, getter) =>
        into.setValue(Symbol.for("names"), getter.keys(carrier).join()),
    });
    expect(extractContext({ a: "1", B: "2" }).getValue(Symbol.for("names"))).toBe("a,B");
  });
});

describe("what is written", () => {
  test("is nothing blank: a dropped tracestate would cost the message", () => {
    const emptied = trace.setSpanContext(ROOT_CONTEXT, {
      ...PRODUCER,
      traceState: new TraceState("not a member"),
    });
    expect(inject({}, emptied, W3C)).toEqual({
      headers: { traceparent: TRACEPARENT },
      leftOut: [],
    });
    expect(inject({}, ROOT_CONTEXT, writing({ a: " ", b: "" })).headers).toEqual({});
  });

  test("is no tracestate without a traceparent", () => {
    expect(inject({}, ROOT_CONTEXT, writing({ tracestate: "a=1" })).headers).toEqual({});
    expect(inject({}, ROOT_CONTEXT, writing({ tracestate: "a=1", b3: "x" })).headers).toEqual({
      b3: "x",
    });
  });

  test("replaces what the caller's headers say of another context", () => {
    const stale = { TraceParent: "00-x", tracestate: "old=1", baggage: "b=1", mine: "x" };
    expect(inject(stale, WITHIN, W3C).headers).toEqual({
      traceparent: TRACEPARENT,
      baggage: "b=1",
      mine: "x",
    });
    const staleB3 = { "x-b3-flags": "1", "X-B3-ParentSpanId": "1", "x-b3-mine": "x" };
    expect(Object.keys(inject(staleB3, WITHIN, B3_MULTI).headers).sort()).toEqual(
      ["x-b3-mine", ...B3_NAMES].sort(),
    );
  });

  test("leaves the caller's headers alone where there is no context", () => {
    const headers = { traceparent: "00-x", tracestate: "old=1" };
    expect(inject(headers, ROOT_CONTEXT, W3C).headers).toEqual(headers);
  });
});

describe("the room for it", () => {
  test.each([
    [0, ["traceparent", "tracestate"], []],
    [2, ["traceparent", "tracestate"], []],
    [3, ["traceparent"], ["tracestate"]],
    [4, ["traceparent"], ["tracestate"]],
    [5, ["traceparent"], ["tracestate"]],
  ])("of 4, %i taken by the caller: W3C writes %j", (taken, names, leftOut) => {
    const injection = inject(own(taken), WITH_STATE, W3C, 4);
    expect(Object.keys(injection.headers)).toEqual([...Object.keys(own(taken)), ...names]);
    expect(injection.leftOut).toEqual(leftOut);
  });

  test.each([
    [0, true],
    [1, true],
    [2, false],
    [4, false],
  ])("of 4, %i taken by the caller: all of B3 is written, or none: %s", (taken, fits) => {
    const { headers, leftOut } = inject(own(taken), WITHIN, B3_MULTI, 4);
    const written = Object.keys(headers).filter((name) => name.startsWith("x-b3-"));
    expect(written.sort()).toEqual(fits ? B3_NAMES : []);
    expect([...leftOut].sort()).toEqual(fits ? [] : B3_NAMES);
  });

  test("blank headers of the caller take none", () => {
    const { leftOut } = inject({ a: "", b: " ", c: "x" }, WITHIN, B3_MULTI, 4);
    expect(leftOut).toEqual([]);
  });

  test("a header that is replaced takes none", () => {
    const headers = { ...own(3), traceparent: "00-x" };
    expect(inject(headers, WITH_STATE, W3C, 4).leftOut).toEqual(["tracestate"]);
    expect(inject({ ...headers, tracestate: "a=1" }, WITHIN, W3C, 4).leftOut).toEqual([]);
  });

  test("goes to the trace context first and to baggage last, whatever the order", () => {
    const all = composite(new W3CBaggagePropagator(), B3_MULTI, W3C);
    expect(Object.keys(inject({}, WITHIN, all, 5).headers)).toEqual([
      "traceparent",
      "x-b3-traceid",
      "x-b3-spanid",
      "x-b3-sampled",
      "baggage",
    ]);
    expect(inject({}, WITHIN, all, 4).leftOut).toEqual(["baggage"]);
    // three of B3 do not fit, and one of baggage does
    expect(Object.keys(inject({}, WITHIN, all, 3).headers)).toEqual(["traceparent", "baggage"]);
  });

  test("is none at all on a broker without headers", () => {
    expect(inject({}, WITH_STATE, W3C, 0)).toEqual({
      headers: {},
      leftOut: ["traceparent", "tracestate"],
    });
  });
});
