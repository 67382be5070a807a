// JSON that languages write in different bytes: the value is the same, the text is not.
import { decodeEnvelope, encodeEnvelope } from "@babelqueue/core";

/** JSON text of one value each. */
const values = [
  "1.0",
  "99.90",
  "-0",
  "1e2",
  "1e-7",
  "1e21",
  "1.7976931348623157e308",
  '"\\u001f"',
  '"\\u00e9"',
  '"\\/"',
  '"<>&"',
  '"\\u2028"',
  '"\\u007f"',
  '"\\uffff"',
  '"\\ud800"',
];

/** @param {string} value */
function bodyOf(value) {
  return `{"job":"urn:babel:interop:bytes","trace_id":"t","data":{"v":${value}},"meta":{"id":"i","queue":"q","lang":"node","schema_version":1,"created_at":1},"attempts":0}`;
}

/** @param {string} body */
function valueIn(body) {
  const value = /"v":(.*)\},"meta"/s.exec(body)?.[1] ?? "?";
  // what no terminal shows
  return value.replace(/[\u007f-\u00a0\u2028\u2029\ud800-\udfff\uffff]/gu, (character) => {
    return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

/**
 * A row a value that a peer writes unlike us: how it was sent, how we write it, how each peer does.
 *
 * @param {readonly import("./party.mjs").Party[]} peers
 */
export async function differentBytes(peers) {
  const rows = [];
  for (const value of values) {
    const ours = valueIn(encodeEnvelope(decodeEnvelope(bodyOf(value))));
    const theirs = await Promise.all(
      peers.map(({ recode }) => recode(bodyOf(value)).then(valueIn, () => "an error")),
    );
    if (theirs.some((text) => text !== ours)) rows.push([value, ours, ...theirs]);
  }
  return rows;
}
