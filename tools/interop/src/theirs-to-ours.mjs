// A peer produces, our consumer consumes.
import assert from "node:assert/strict";
import { decodeEnvelope } from "@babelqueue/core";
import { toMessageAttributes } from "@babelqueue/sqs";
import { holdsPayload, sameAttributes, seenOf } from "./compare.mjs";
import { emoji, inOrder, redelivered, samples, TRACEPARENT } from "./messages.mjs";
import { consume } from "./ours.mjs";

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
