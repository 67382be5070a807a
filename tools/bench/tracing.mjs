// What @babelqueue/otel costs a message: with no OpenTelemetry SDK registered, and with one that
// samples everything and exports nothing.
import { createEnvelope } from "@babelqueue/core";
import { otel } from "@babelqueue/otel";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { order, URN } from "./systems.mjs";

const MESSAGES = 100_000;

/** @returns {Promise<{ "tracing of": string, "no SDK, µs": number, "with an SDK, µs": number }[]>} */
export async function measureTracing() {
  const envelope = createEnvelope(URN, order(1), { queue: "orders" });
  const outbound = {
    envelope: /** @type {any} */ (envelope),
    headers: {},
    system: "aws.sqs",
    queue: "orders",
    traceIdGiven: false,
    headerLimit: 4,
  };
  const delivery = {
    body: "",
    headers: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    system: "aws.sqs",
    queue: "orders",
    message: {},
    signal: new AbortController().signal,
  };
  const received = { delivery, envelope: outbound.envelope, refusal: null };
  /** @type {import("@babelqueue/core").Route} */
  const route = async () => ({ kind: "ack", envelope: outbound.envelope });
  const bare = [await time(() => send([outbound])), await time(() => route(received))];
  const measure = async () => {
    const tracing = otel();
    const traced = { send: tracing.send(send), route: tracing.consume(route) };
    return [await time(() => traced.send([outbound])), await time(() => traced.route(received))];
  };
  const idle = await measure();
  const provider = new NodeTracerProvider();
  provider.register();
  const active = await measure();
  await provider.shutdown();
  return ["a send", "a handler"].map((name, index) => ({
    "tracing of": name,
    "no SDK, µs": over(idle[index], bare[index]),
    "with an SDK, µs": over(active[index], bare[index]),
  }));
}

/** @type {import("@babelqueue/core").Send} */
async function send(batch) {
  return batch.map(() => ({ ok: true }));
}

/** @param {number | undefined} traced @param {number | undefined} bare */
function over(traced = 0, bare = 0) {
  return Math.round((traced - bare) * 100) / 100;
}

/** The best of five, in µs. @param {() => Promise<unknown>} work */
async function time(work) {
  const rounds = [];
  for (let round = 0; round < 5; round += 1) {
    const started = performance.now();
    for (let n = 0; n < MESSAGES; n += 1) await work();
    rounds.push(((performance.now() - started) * 1000) / MESSAGES);
  }
  return Math.min(...rounds);
}
