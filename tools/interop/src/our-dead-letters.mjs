// We write to a dead-letter queue, and a peer reads, and sends it back with its own tool.
import assert from "node:assert/strict";
import { decodeEnvelope, encodeEnvelope } from "@babelqueue/core";
import { toMessageAttributes } from "@babelqueue/sqs";
import { HANDLED, refused } from "./cases.mjs";
import { holdsPayload, sameAttributes, seenOf } from "./compare.mjs";
import { isEnvelopeCopy, isRefusedCopy } from "./copies.mjs";
import { inOrder, samples } from "./messages.mjs";
import { consume, publish } from "./ours.mjs";

/** @typedef {import("./cases.mjs").Case} Case */
/** @typedef {import("./party.mjs").Party} Party */
/** @typedef {import("./queues.mjs").Queues} Queues */

const task = { failures: 0, echo: null, deadLetters: null, strategy: null, waitSeconds: 0 };

/**
 * @param {Party} peer
 * @param {Queues} queues
 * @param {import("./checks.mjs").Checks} checks
 */
export async function ourDeadLetters(peer, queues, checks) {
  for (const one of refused) {
    await checks.check(`our copy there, ${one.name}`, async () => {
      const { deadLetters } = await refuse(queues, one);
      assert.equal((await queues.depth(deadLetters)).visible, 1, "there is no copy");
      const seen = await peer.consume(deadLetters, { ...task, urns: [HANDLED], deliveries: 1 });
      assert.equal(seen.length, 0, "it is refused no more, but handled");
    });
    for (const fifo of [false, true]) {
      await checks.check(`our copy redriven, ${one.name}${fifo ? ", FIFO" : ""}`, () =>
        redriveRefused(peer, queues, one, fifo),
      );
    }
    await checks.check(`our copy's way back, ${one.name}`, async () => {
      const { queue, deadLetters } = await refuse(queues, one, { metaQueue: "elsewhere" });
      const [letter] = await peer.redrive(deadLetters, true);
      assert.equal(letter?.to, one.identity === null ? "" : queue.queue);
    });
  }
  await checks.check("our copy there, unknown URN", () => readUnknown(peer, queues));
  for (const fifo of [false, true]) {
    await checks.check(`our copy redriven, unknown URN${fifo ? ", FIFO" : ""}`, () =>
      redriveUnknown(peer, queues, fifo),
    );
  }
}

/**
 * @param {Queues} queues
 * @param {Case} one
 * @param {{ metaQueue?: string, fifo?: boolean }} [options]
 */
async function refuse(queues, one, { metaQueue, fifo = false } = {}) {
  const { queue, deadLetters } = await queues.createPair(fifo);
  const { body, attributes } = one.make(metaQueue ?? queue.queue);
  await queues.send(queue, body, attributes, "first");
  await consume(queues, queue, { ...task, urns: [HANDLED], deadLetters, deliveries: 1 });
  return { queue, deadLetters, body };
}

/**
 * What has an identity goes back to its queue, without a block; the rest stays as it is.
 *
 * @param {Party} peer
 * @param {Queues} queues
 * @param {Case} one
 * @param {boolean} fifo
 */
async function redriveRefused(peer, queues, one, fifo) {
  const { queue, deadLetters, body } = await refuse(queues, one, { fifo });
  const letters = await peer.redrive(deadLetters);
  if (one.identity === null) {
    assert.deepEqual(letters, [{ urn: "", reason: "", to: "", redriven: false }]);
    const [kept] = await queues.receive(deadLetters, 1, 0);
    isRefusedCopy(kept?.Body, { of: one, body, queue: queue.queue });
    return;
  }
  const reason = one.kind === "poison" ? "poison" : "";
  assert.deepEqual(letters, [{ urn: one.identity, reason, to: queue.queue, redriven: true }]);
  const [back] = await queues.receive(queue, 1, 0);
  assert.deepEqual(JSON.parse(back?.Body ?? "null"), JSON.parse(body), "what came back");
}

/**
 * A message to them.
 *
 * @param {Party} peer
 * @param {Queues} queues
 */
async function readUnknown(peer, queues) {
  const [message] = samples;
  assert.ok(message);
  const { queue, deadLetters, envelope } = await deadLetter(queues, message, false);
  const seen = await peer.consume(deadLetters, { ...task, urns: [message.urn], deliveries: 1 });
  const { body } = seenOf(seen, message);
  isEnvelopeCopy(body, { reason: "unknown_urn", envelope, queue: queue.queue });
  holdsPayload(body, message);
}

/**
 * @param {Party} peer
 * @param {Queues} queues
 * @param {boolean} fifo
 */
async function redriveUnknown(peer, queues, fifo) {
  const message = inOrder(1);
  const { queue, deadLetters, envelope } = await deadLetter(queues, message, fifo);
  assert.deepEqual(await peer.redrive(deadLetters), [
    { urn: message.urn, reason: "unknown_urn", to: queue.queue, redriven: true },
  ]);
  const [back] = await queues.receive(queue, 1, 0);
  assert.equal(back?.Body, encodeEnvelope(envelope), "what came back");
  sameAttributes(back?.MessageAttributes, toMessageAttributes(decodeEnvelope(back?.Body ?? "")));
}

/**
 * @param {Queues} queues
 * @param {import("./party.mjs").Produced} message
 * @param {boolean} fifo
 */
async function deadLetter(queues, message, fifo) {
  const { queue, deadLetters } = await queues.createPair(fifo);
  const envelope = await publish(queues, queue, message);
  const strategy = /** @type {const} */ ("dead_letter");
  await consume(queues, queue, { ...task, urns: [], deadLetters, strategy, deliveries: 1 });
  return { queue, deadLetters, envelope };
}
