// What is sent to and fro. Payloads are JSON text that every language writes in the same bytes.

/** @typedef {import("./party.mjs").Produced & { name: string }} Sample */

export const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/**
 * @param {string} name
 * @param {string} data
 * @param {Partial<import("./party.mjs").Produced>} [more]
 * @returns {Sample}
 */
function sample(name, data, more) {
  const urn = `urn:babel:interop:${name.replace(/\W+/g, "-")}`;
  return { name, urn, data, traceId: null, headers: {}, ...more };
}

const plain = {
  order_id: 1042,
  total: "99.90",
  ratio: 0.25,
  paid: true,
  note: null,
  lines: [{ sku: "a/b", quantity: -3 }, [], {}, ""],
  escaped: '"\\\b\f\n\r\t\u0001',
  markup: "<a href='x'>&amp;</a>",
};

/** One URN each, so that a wrong handler shows. */
export const samples = [
  sample("plain", JSON.stringify(plain), { traceId: "3f0c1b9a-6f0e-4d55-9d0b-6f1f6f1c2a11" }),
  sample(
    "unicode",
    JSON.stringify({ "schlüssel-键": "Łódź 東京 ¿\u00a0\u007f\u0085\u2028\u2029\ufffd?" }),
    {
      traceId: "spur/ü-1",
    },
  ),
  sample(
    "64-bit integer",
    '{"max":9223372036854775807,"min":-9223372036854775808,"unsafe":9007199254740993,"safe":9007199254740991}',
  ),
  sample("empty data", "{}"),
  sample("traceparent", '{"n":1}', { headers: { traceparent: TRACEPARENT } }),
];

/** Alone, for a server may refuse it. */
export const emoji = sample("emoji", JSON.stringify({ text: "😀 👩‍👩‍👧 𝄞" }));

/** Failed once by its handler. */
export const redelivered = sample("redelivered", '{"n":2}');

/** @param {number} n */
export const inOrder = (n) => sample("in order", `{"n":${n}}`);
