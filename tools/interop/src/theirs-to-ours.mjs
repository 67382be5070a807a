// A peer produces, our consumer consumes.
import assert from "node:assert/strict";
import { decodeEnvelope } from "@babelqueue/core";
import { toMessageAttributes } from "@babelqueue/sqs";
import { cases, HANDLED } from "./cases.mjs";
import { holdsPayload, sameAttributes, seenOf } from "./compare.mjs";
import { emoji, inOrder, redelivered, samples, TRACEPARENT } from "./messages.mjs";
import { consume, publish } from "./ours.mjs";

/** @typedef {import("./checks.mjs").Checks} Checks */
/** @typedef {import("./party.mjs").Party} Party */
/** @typedef {import("./queues.mjs").Queues} Queues */

const task = { failures: 0, echo: null, deadLetters: null, strategy: null, waitSeconds: 1 };

/**
 * @param {Party} peer
 * @param {Queues} queues
 * @param {Checks} checks
 */
export async function theirsToOurs(peer, queues, checks) {
  await checkSamples(peer, queues, checks);
  await checks.check("emoji", async () => {
    const queue = await queues.create();
    await peer.produce(queue, emoji);
    const { seen } = await consume(queues, queue, { ...task, urns: [emoji.urn], deliveries: 1 });
    holdsPayload(seenOf(seen, emoji).message.Body, emoji);
  });
  await checks.check("attempts after a redelivery", async () => {
    const queue = await queues.create();
    await peer.produce(queue, redelivered);
    const urns = [redelivered.urn];
    const { seen } = await consume(queues, queue, { ...task, urns, failures: 1, deliveries: 2 });
    assert.deepEqual(
      seen.map(({ body }) => decodeEnvelope(body).attempts),
      [0, 1],
      "attempts",
    );
  });
  await checkFifo(peer, queues, checks);
  for (const { name, make } of cases.filter(({ kind }) => kind === "refused")) {
    await checks.check(`their copy here, ${name}`, async () => {
      const { queue, deadLetters } = await queues.createPair();
      const { body, attributes } = make();
      await queues.send(queue, body, attributes, "");
      await peer.consume(queue, { ...task, urns: [HANDLED], deadLetters, deliveries: 1 });
      const { seen, errors } = await consume(queues, deadLetters, {
        ...task,
        urns: [HANDLED],
        deliveries: 1,
      });
      assert.equal(errors.length + seen.length, 1, "there is no copy");
      assert.equal(seen.length, 0, "it is refused no more, but handled");
    });
  }
  for (const strategy of /** @type {const} */ ([null, "dead_letter"])) {
    await checks.check(`their copy here, unknown URN, strategy ${strategy ?? "unset"}`, () =>
      readTheirDeadLetter(peer, queues, strategy),
    );
  }
}

/**
 * @param {Party} peer
 * @param {Queues} queues
 * @param {Checks} checks
 */
async function checkSamples(peer, queues, checks) {
  const queue = await queues.create();
  /** @type {Map<string, string>} */
  const ids = new Map();
  /** @type {import("./ours.mjs").OursHandled[]} */
  let seen = [];
  await checks.check("routed by URN", async () => {
    for (const message of samples) ids.set(message.urn, await peer.produce(queue, message));
    const urns = samples.map(({ urn }) => urn);
    const consumed = await consume(queues, queue, { ...task, urns, deliveries: urns.length });
    seen = consumed.seen;
    assert.deepEqual(consumed.errors, [], "errors were reported");
    for (const message of samples) {
      assert.equal(
        decodeEnvelope(seenOf(seen, message).body).meta.id,
        ids.get(message.urn),
        "meta.id",
      );
    }
  });
  for (const message of samples) {
    await checks.check(`body: ${message.name}`, () => {
      const { message: received, body } = seenOf(seen, message);
      holdsPayload(received.Body, message);
      assert.equal(body, received.Body, "we write it in other bytes");
    });
  }
  await checks.check("the six attributes", () => {
    for (const message of samples) {
      const { message: received, body } = seenOf(seen, message);
      const expected = toMessageAttributes(decodeEnvelope(body), message.headers);
      assert.equal(Object.keys(expected).length, 6 + Object.keys(message.headers).length);
      sameAttributes(received.MessageAttributes, expected);
    }
  });
  await checks.check("trace_id", () => {
    for (const message of samples.filter(({ traceId }) => traceId !== null)) {
      assert.equal(decodeEnvelope(seenOf(seen, message).body).trace_id, message.traceId);
    }
  });
  await checks.check("traceparent rider", () => {
    const rider = samples.find(({ headers }) => "traceparent" in headers);
    assert.ok(rider);
    assert.equal(seenOf(seen, rider).headers["traceparent"], TRACEPARENT);
  });
}

/**
 * @param {Party} peer
 * @param {Queues} queues
 * @param {Checks} checks
 */
async function checkFifo(peer, queues, checks) {
  await checks.check("FIFO ids", async () => {
    const queue = await queues.create(true);
    const id = await peer.produce(queue, inOrder(1));
    const [received] = await queues.receive(queue, 1);
    assert.equal(received?.Attributes?.MessageGroupId, queue.queue, "the group");
    assert.equal(received?.Attributes?.MessageDeduplicationId, id, "the deduplication id");
  });
  await checks.check("FIFO order", async () => {
    const queue = await queues.create(true);
    for (const n of [1, 2, 3]) await peer.produce(queue, inOrder(n));
    const urns = [inOrder(0).urn];
    const { seen } = await consume(queues, queue, { ...task, urns, deliveries: 3 });
    const order = seen.map(({ body }) => decodeEnvelope(body).data["n"]);
    assert.deepEqual(order, [1, 2, 3], "the order");
  });
}

/**
 * What the peer writes to the dead-letter queue for an unknown URN is a message to us, the payload as it was.
 *
 * @param {Party} peer
 * @param {Queues} queues
 * @param {"dead_letter" | null} strategy
 */
async function readTheirDeadLetter(peer, queues, strategy) {
  const { queue, deadLetters } = await queues.createPair();
  const [message] = samples;
  assert.ok(message);
  const envelope = await publish(queues, queue, message);
  // unset, a peer may try a few times before it gives up
  await peer.consume(queue, { ...task, urns: [], deadLetters, strategy, deliveries: 5 });
  if (strategy === null && (await queues.depth(deadLetters)).visible === 0) {
    // as CONTRACT §4 has it: left, and nothing to be read
    const { visible, hidden } = await queues.depth(queue);
    assert.equal(visible + hidden, 1, "there is neither a copy nor the original");
    return;
  }
  const { seen, errors } = await consume(queues, deadLetters, {
    ...task,
    urns: [message.urn],
    deliveries: 1,
  });
  assert.deepEqual(errors, [], "errors were reported");
  const { message: received } = seenOf(seen, message);
  const copy = decodeEnvelope(received.Body ?? "");
  assert.equal(copy.dead_letter?.reason, "unknown_urn", "the reason");
  assert.equal(copy.dead_letter?.original_queue, queue.queue, "the original queue");
  assert.equal(copy.trace_id, envelope.trace_id, "trace_id");
  assert.equal(copy.meta.id, envelope.meta.id, "meta.id");
  holdsPayload(received.Body, message);
}
