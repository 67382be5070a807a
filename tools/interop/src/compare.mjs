// How what came is compared with what was sent.
import assert from "node:assert/strict";
import { decodeEnvelope } from "@babelqueue/core";

/** @typedef {import("./queues.mjs").Attributes} Attributes */

/** Types and values, without what a server adds. @param {Attributes | undefined} attributes */
export function plainAttributes(attributes) {
  return Object.fromEntries(
    Object.entries(attributes ?? {}).map(([name, { DataType, StringValue }]) => [
      name,
      `${DataType} ${StringValue}`,
    ]),
  );
}

/**
 * @param {Attributes | undefined} actual
 * @param {Attributes} expected
 */
export function sameAttributes(actual, expected) {
  assert.deepEqual(plainAttributes(actual), plainAttributes(expected), "the attributes differ");
}

/**
 * The body holds the payload in these bytes.
 *
 * @param {string | undefined} body
 * @param {import("./party.mjs").Produced} message
 */
export function holdsPayload(body = "", message) {
  assert.equal(/"data":(.*),"meta":/s.exec(body)?.[1], message.data, "the payload was rewritten");
}

/**
 * The one that a handler of its URN saw.
 *
 * @template {import("./party.mjs").Handled} T
 * @param {readonly T[]} seen
 * @param {import("./party.mjs").Produced} message
 * @returns {T}
 */
export function seenOf(seen, { urn }) {
  const found = seen.filter(({ body }) => decodeEnvelope(body).job === urn);
  const [only] = found;
  assert.ok(only, `no handler saw ${urn}`);
  assert.equal(found.length, 1, `seen more than once: ${urn}`);
  assert.equal(only.handler, urn, "the wrong handler");
  return only;
}
