// Copies in a dead-letter queue, read as a tool for dead letters reads them.
import assert from "node:assert/strict";
import { amendEnvelope, decodeEnvelope, encodeEnvelope, identityOf } from "@babelqueue/core";

/** @typedef {import("@babelqueue/core").DeadLetter} DeadLetter */

/** @param {string} copy */
function parse(copy) {
  return /** @type {{ raw?: unknown, dead_letter: DeadLetter }} */ (JSON.parse(copy));
}

/**
 * The copy of a message that was refused.
 *
 * @param {string | undefined} copy
 * @param {{ of: import("./cases.mjs").Case, body: string, queue: string }} original
 */
export function isRefusedCopy(copy = "", { of, body, queue }) {
  assert.equal(identityOf(copy), of.identity, "the identity");
  if (of.copy === "verbatim") {
    assert.equal(copy, body, "the body");
    assert.equal(decodeEnvelope(copy).job, of.identity, "job");
    assert.equal(amendEnvelope(copy, { attempts: 0, deadLetter: null }), body, "amended");
    return;
  }
  const { raw, dead_letter: block } = parse(copy);
  const original =
    of.copy === "wrapped" ? raw : copy.replace(`,"dead_letter":${JSON.stringify(block)}`, "");
  assert.equal(original, body, "the original is not in it");
  assert.equal(block.reason, "poison", "the reason");
  assert.equal(block.original_queue, queue, "the original queue");
  assert.equal(block.attempts, 0, "attempts");
  assert.throws(() => decodeEnvelope(copy), { name: "InvalidEnvelopeError" });
  assert.throws(() => amendEnvelope(copy, { attempts: 0 }), { name: "InvalidEnvelopeError" });
}

/**
 * The copy of an envelope; without its block it is the original again.
 *
 * @param {string | undefined} copy
 * @param {{ reason: DeadLetter["reason"], envelope: import("@babelqueue/core").Envelope, queue: string }} original
 */
export function isEnvelopeCopy(copy = "", { reason, envelope, queue }) {
  assert.equal(identityOf(copy), envelope.job, "the identity");
  const block = decodeEnvelope(copy).dead_letter;
  assert.equal(block?.reason, reason, "the reason");
  assert.equal(block?.original_queue, queue, "the original queue");
  const amended = amendEnvelope(copy, { attempts: 0, deadLetter: null });
  assert.equal(amended, encodeEnvelope(envelope), "without the block");
}

/**
 * A copy without what an SDK says in its own words: to be compared with that of another SDK.
 *
 * @param {string | undefined} copy
 * @param {string} queue that it was consumed from
 */
export function formOf(copy = "", queue) {
  const { dead_letter: block } = parse(copy);
  return {
    text: copy.replace(JSON.stringify(block), "…"),
    keys: Object.keys(block),
    reason: block.reason,
    isFromQueue: block.original_queue === queue,
    attempts: block.attempts,
  };
}
