import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { encodeEnvelope } from "@babelqueue/core";
import { SqsPublisher } from "@babelqueue/sqs";
import { trace } from "@opentelemetry/api";
import { describe, expect, test } from "vitest";
import { tracedPublish, traceHandler, uuidOf } from "./index.js";
import { ACK, URN } from "./messages.fixture.js";
import { inSpan, startSdk } from "./sdk.fixture.js";
import { foreignBody, startStage } from "./sqs.fixture.js";

const NO_CONTEXT = { headers: {}, signal: new AbortController().signal };

describe("the explicit forms", () => {
  test("a message published and handled by hand: a child of the producer", async () => {
    const spans = startSdk();
    const stage = await startStage();
    const publisher = new SqsPublisher(stage.client, stage.url);
    const tracer = trace.getTracer("test");
    const id = await inSpan("POST /orders", () =>
      tracedPublish(tracer, URN, { order_id: 1 }, "orders", (envelope, headers) =>
        publisher.publishEnvelope(envelope, { headers }),
      ),
    );
    const { traceId } = spans.one("send orders").spanContext();
    expect(await stage.attributes()).toMatchObject({
      "bq-message-id": id,
      "bq-trace-id": uuidOf(traceId),
    });
    await stage.consume(
      traceHandler(tracer, () => inSpan("charge card", async () => undefined)),
      { middleware: [] },
    );
    expect(spans.tree()).toEqual([
      "POST /orders INTERNAL",
      "  send orders PRODUCER",
      "    process orders CONSUMER",
      "      charge card INTERNAL",
    ]);
    for (const name of ["send orders", "process orders"]) {
      expect(spans.one(name).attributes).toMatchObject({
        "messaging.system.name": "babelqueue",
        "messaging.destination.name": "orders",
        "messaging.message.conversation_id": uuidOf(traceId),
        "babelqueue.urn": URN,
        "babelqueue.message.id": id,
      });
    }
  });

  test("a handler of another SDK's message: the parent is derived from the trace_id", async () => {
    const spans = startSdk();
    const stage = await startStage();
    await stage.put(foreignBody("c41f09aa-8d27-4b6e-b0f5-2a9d13e7760b"));
    const handler = traceHandler(trace.getTracer("test"), () => undefined);
    await stage.consume(handler, { middleware: [] });
    expect(spans.one("process orders").parentSpanContext?.spanId).toBe("356ff08d42a2899d");
  });

  test("failures fail the span, and are passed on", async () => {
    const spans = startSdk();
    const tracer = trace.getTracer("test");
    const failure = new TypeError("x");
    const publishing = tracedPublish(tracer, URN, {}, "orders", () => Promise.reject(failure));
    await expect(publishing).rejects.toBe(failure);
    const handler = traceHandler(tracer, () => {
      throw failure;
    });
    await expect(handler(ACK.envelope as never, undefined, NO_CONTEXT)).rejects.toBe(failure);
    const [sent, processed] = spans.all;
    expect([sent?.name, processed?.name]).toEqual(["send orders", "process default"]);
    expect(sent?.attributes["error.type"]).toBe("TypeError");
    expect(processed?.attributes["error.type"]).toBe("TypeError");
  });

  test.each([
    ["nothing that is an error", "x", "_OTHER"],
    ["an error without a name", Object.assign(new Error("x"), { name: "" }), "_OTHER"],
  ])("error.type of %s", async (_, thrown, type) => {
    const spans = startSdk();
    const tracer = trace.getTracer("test");
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is the point
    const publishing = tracedPublish(tracer, URN, {}, "orders", () => Promise.reject(thrown));
    await expect(publishing).rejects.toBe(thrown);
    expect(spans.one("send orders").attributes["error.type"]).toBe(type);
  });

  test("keys of the caller's own go into meta, behind the generated ones", async () => {
    const stage = await startStage();
    const publisher = new SqsPublisher(stage.client, stage.url);
    const meta = Object.freeze({ ext: { acme: { tier: 1 } }, region: null });
    const bodies: string[] = [];
    const id = await tracedPublish(
      trace.getTracer("test"),
      URN,
      {},
      "orders",
      (envelope) => {
        bodies.push(encodeEnvelope(envelope));
        return publisher.publishEnvelope(envelope);
      },
      { meta },
    );
    const [body = ""] = bodies;
    expect(body).toContain(`"meta":{"id":"${id}","queue":"orders","lang":"node",`);
    expect(body.endsWith(',"ext":{"acme":{"tier":1}},"region":null},"attempts":0}')).toBe(true);
  });

  test.each([
    ...["id", "queue", "lang", "schema_version", "created_at"],
    ...["max_retries", "attempts", "source", "ts"],
  ])("meta with the key %s is refused by its name, before there is a span", async (key) => {
    const spans = startSdk();
    let isSent = false;
    const send = (): void => void (isSent = true);
    const meta = { [key]: "mine" };
    const publishing = tracedPublish(trace.getTracer("test"), URN, {}, "orders", send, { meta });
    await expect(publishing).rejects.toMatchObject({
      code: "invalid_argument",
      argument: "meta",
      message: expect.stringContaining(`its key ${key} is`),
    });
    expect([isSent, spans.all]).toEqual([false, []]);
  });

  test("meta with what JSON cannot carry is refused by its pointer, and fails the span", async () => {
    const spans = startSdk();
    const stage = await startStage();
    const publisher = new SqsPublisher(stage.client, stage.url);
    const publishing = tracedPublish(
      trace.getTracer("test"),
      URN,
      {},
      "orders",
      (envelope) => publisher.publishEnvelope(envelope),
      { meta: { ext: { ratio: Number.NaN } } },
    );
    await expect(publishing).rejects.toMatchObject({
      code: "invalid_payload",
      pointer: "/meta/ext/ratio",
    });
    expect(spans.one("send orders").attributes["error.type"]).toBe("InvalidPayloadError");
    const receive = new ReceiveMessageCommand({ QueueUrl: stage.url, WaitTimeSeconds: 0 });
    expect((await stage.client.send(receive)).Messages ?? []).toEqual([]);
  });

  test("a URN that is none is refused before there is a span", async () => {
    const spans = startSdk();
    const publishing = tracedPublish(trace.getTracer("test"), " ", {}, "orders", () => undefined);
    await expect(publishing).rejects.toMatchObject({ code: "invalid_envelope" });
    expect(spans.all).toEqual([]);
  });

  test("without an SDK: a message with a trace_id of its own and no headers, a handler's result", async () => {
    const tracer = trace.getTracer("test");
    const sent: unknown[] = [];
    await tracedPublish(tracer, URN, {}, " ", (...args) => sent.push(args));
    expect(sent).toEqual([[expect.objectContaining({ trace_id: expect.any(String) }), {}]]);
    expect(JSON.stringify(sent)).not.toContain("00000000-0000-0000-0000");
    expect(JSON.stringify(sent)).toContain('"queue":"default"');
    const handler = traceHandler(tracer, () => "result");
    await expect(handler(ACK.envelope as never, undefined, NO_CONTEXT)).resolves.toBe("result");
  });

  test("a message without a meta.queue: the queue is `default`", async () => {
    const spans = startSdk();
    const envelope = { ...ACK.envelope, meta: { schema_version: 1 } };
    await traceHandler(trace.getTracer("test"), () => undefined)(
      envelope as never,
      undefined,
      NO_CONTEXT,
    );
    expect(spans.one("process default").attributes).not.toHaveProperty(["babelqueue.message.id"]);
  });
});
