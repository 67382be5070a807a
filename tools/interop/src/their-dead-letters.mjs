// A peer writes to a dead-letter queue, and we read.
import assert from "node:assert/strict";
import { HANDLED, refused } from "./cases.mjs";
import { holdsPayload, seenOf } from "./compare.mjs";
import { formOf, isEnvelopeCopy, isRefusedCopy } from "./copies.mjs";
import { redelivered, samples } from "./messages.mjs";
import { consume, publish } from "./ours.mjs";
import { poisonBodies } from "./poison-bodies.mjs";

/** @typedef {import("./party.mjs").Party} Party */
/** @typedef {import("./queues.mjs").Queues} Queues */

const task = { failures: 0, echo: null, deadLetters: null, strategy: null, waitSeconds: 0 };

/**
 * @param {Party} peer
 * @param {Queues} queues
 * @param {import("./checks.mjs").Checks} checks
 */
export async function theirDeadLetters(peer, queues, checks) {
  for (const one of refused) {
    await checks.check(`their copy here, ${one.name}`, async () => {
      const { deadLetters } = await refuse(peer, queues, one);
      const last = { ...task, urns: [HANDLED], deliveries: 1 };
      const { seen, errors } = await consume(queues, deadLetters, last);
      assert.equal(errors.length + seen.length, 1, "there is no copy");
      assert.equal(seen.length, 0, "it is refused no more, but handled");
    });
    await checks.check(`their copy read, ${one.name}`, async () => {
      const { queue, deadLetters, body } = await refuse(peer, queues, one);
      isRefusedCopy(await letterIn(queues, deadLetters), { of: one, body, queue: queue.queue });
    });
  }
  for (const { name, body } of poisonBodies) {
    await checks.check(`their copy is written as ours: ${name}`, async () => {
      const [theirs, ours] = [await queues.createPair(), await queues.createPair()];
      for (const { queue } of [theirs, ours]) await queues.send(queue, body, {}, "");
      const last = { ...task, urns: [], deliveries: 1 };
      await peer.consume(theirs.queue, { ...last, deadLetters: theirs.deadLetters });
      await consume(queues, ours.queue, { ...last, deadLetters: ours.deadLetters });
      assert.deepEqual(
        formOf(await letterIn(queues, theirs.deadLetters), theirs.queue.queue),
        formOf(await letterIn(queues, ours.deadLetters), ours.queue.queue),
        "they write it otherwise",
      );
    });
  }
  for (const strategy of /** @type {const} */ ([null, "dead_letter"])) {
    await checks.check(`their copy here, unknown URN, strategy ${strategy ?? "unset"}`, () =>
      readUnknown(peer, queues, strategy),
    );
  }
  await checks.check("their copy read, failed", async () => {
    const { queue, deadLetters } = await queues.createPair();
    const envelope = await publish(queues, queue, redelivered);
    const always = { failures: Number.MAX_SAFE_INTEGER, deliveries: 5 };
    await peer.consume(queue, { ...task, ...always, urns: [redelivered.urn], deadLetters });
    const copy = await letterIn(queues, deadLetters);
    isEnvelopeCopy(copy, { reason: "failed", envelope, queue: queue.queue });
  });
}

/**
 * @param {Party} peer
 * @param {Queues} queues
 * @param {import("./cases.mjs").Case} one
 */
async function refuse(peer, queues, one) {
  const { queue, deadLetters } = await queues.createPair();
  const { body, attributes } = one.make();
  await queues.send(queue, body, attributes, "");
  await peer.consume(queue, { ...task, urns: [HANDLED], deadLetters, deliveries: 1 });
  return { queue, deadLetters, body };
}

/**
 * @param {Queues} queues
 * @param {import("./party.mjs").Address} from
 */
async function letterIn(queues, from) {
  const letters = await queues.receive(from, 1, 0);
  assert.equal(letters.length, 1, "how many copies there are");
  return letters[0]?.Body;
}

/**
 * A message to our consumer, the payload as it was.
 *
 * @param {Party} peer
 * @param {Queues} queues
 * @param {"dead_letter" | null} strategy
 */
async function readUnknown(peer, queues, strategy) {
  const { queue, deadLetters } = await queues.createPair();
  const [message] = samples;
  assert.ok(message);
  const envelope = await publish(queues, queue, message);
  // unset, a peer may try a few times before it gives up
  await peer.consume(queue, { ...task, urns: [], deadLetters, strategy, deliveries: 5 });
  if (strategy === null && (await queues.depth(deadLetters)).visible === 0) {
    // as docs/settlement.md has it: left, and nothing to be read
    const { visible, hidden } = await queues.depth(queue);
    assert.equal(visible + hidden, 1, "there is neither a copy nor the original");
    return;
  }
  const last = { ...task, urns: [message.urn], deliveries: 1 };
  const { seen, errors } = await consume(queues, deadLetters, last);
  assert.deepEqual(errors, [], "errors were reported");
  const { Body } = seenOf(seen, message).message;
  isEnvelopeCopy(Body, { reason: "unknown_urn", envelope, queue: queue.queue });
  holdsPayload(Body, message);
}
