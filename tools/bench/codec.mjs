// encodeEnvelope + decodeEnvelope against bare JSON.stringify + JSON.parse of the same object.
import { createEnvelope, decodeEnvelope, encodeEnvelope } from "@babelqueue/core";
import { order, URN } from "./systems.mjs";

/** @returns {{ bytes: number, "codec µs": number, "JSON µs": number, ratio: number }[]} */
export function measureCodec() {
  return [small(), large()].map((envelope) => {
    const bytes = Buffer.byteLength(encodeEnvelope(envelope));
    const iterations = Math.round(60_000_000 / (bytes + 300));
    const codec = () => decodeEnvelope(encodeEnvelope(envelope));
    const json = () => /** @type {unknown} */ (JSON.parse(JSON.stringify(envelope)));
    const pairs = Array.from({ length: 9 }, () => [
      time(codec, iterations),
      time(json, iterations),
    ]);
    const middle = pairs.slice(2).sort(([a = 0, b = 1], [c = 0, d = 1]) => a / b - c / d)[3] ?? [];
    const [ours = 0, bare = 1] = middle;
    return {
      bytes,
      "codec µs": Math.round(ours * 100) / 100,
      "JSON µs": Math.round(bare * 100) / 100,
      ratio: Math.round((ours / bare) * 100) / 100,
    };
  });
}

function small() {
  return createEnvelope(
    URN,
    { order_id: 1042, customer: "c-42", total: 99.9 },
    { queue: "orders" },
  );
}

function large() {
  const lines = Array.from({ length: 75 }, (_, n) => ({
    ...order(n),
    note: "Ring twice at the back",
  }));
  return createEnvelope(URN, { order_id: 1042, lines: lines.slice(0, 60) }, { queue: "orders" });
}

/**
 * @param {() => unknown} work
 * @param {number} iterations
 */
function time(work, iterations) {
  const started = performance.now();
  for (let n = 0; n < iterations; n += 1) work();
  return ((performance.now() - started) * 1000) / iterations;
}
