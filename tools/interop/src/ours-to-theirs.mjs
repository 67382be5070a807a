// Our publisher produces, a peer consumes, and publishes again what it understood.
import assert from "node:assert/strict";
import { decodeEnvelope, encodeEnvelope } from "@babelqueue/core";
import { toMessageAttributes } from "@babelqueue/sqs";
import { holdsPayload, sameAttributes, seenOf } from "./compare.mjs";
import { emoji, inOrder, redelivered, samples, TRACEPARENT } from "./messages.mjs";
import { publish } from "./ours.mjs";

/** @typedef {import("./checks.mjs").Checks} Checks */
/** @typedef {import("./party.mjs").Party} Party */
/** @typedef {import("./queues.mjs").Queues} Queues */

const task = { failures: 0, echo: null, deadLetters: null, strategy: null, waitSeconds: 1 };

/**
 * @param {Party} peer
 * @param {Queues} queues
 * @param {Checks} checks
 */
export async function oursToTheirs(peer, queues, checks) {
  await checkSamples(peer, queues, checks);
  await checks.check("emoji", async () => {
    const queue = await queues.create();
    const envelope = await publish(queues, queue, emoji);
    const seen = await peer.consume(queue, { ...task, urns: [emoji.urn], deliveries: 1 });
    assert.equal(
      seenOf(seen, emoji).body,
      encodeEnvelope(envelope),
      "they write it in other bytes",
    );
  });
  await checks.check("attempts after a redelivery", async () => {
    const queue = await queues.create();
    await publish(queues, queue, redelivered);
    const urns = [redelivered.urn];
    const seen = await peer.consume(queue, { ...task, urns, failures: 1, deliveries: 2 });
    assert.deepEqual(
      seen.map(({ body }) => decodeEnvelope(body).attempts),
      [0, 1],
      "attempts",
    );
  });
  await checks.check("FIFO order", async () => {
    const queue = await queues.create(true);
    for (const n of [1, 2, 3]) await publish(queues, queue, inOrder(n));
    const seen = await peer.consume(queue, { ...task, urns: [inOrder(0).urn], deliveries: 3 });
    const order = seen.map(({ body }) => decodeEnvelope(body).data["n"]);
    assert.deepEqual(order, [1, 2, 3], "the order");
  });
}

/**
 * @param {Party} peer
 * @param {Queues} queues
 * @param {Checks} checks
 */
async function checkSamples(peer, queues, checks) {
  const queue = await queues.create();
  const echo = await queues.create();
  /** @type {Map<string, import("@babelqueue/core").Envelope>} */
  const sent = new Map();
  /** @type {import("./party.mjs").Handled[]} */
  let seen = [];
  /** @type {import("./queues.mjs").Message[]} */
  let echoes = [];
  const sentOf = (/** @type {string} */ urn) => {
    const envelope = sent.get(urn);
    assert.ok(envelope, `${urn} was not sent`);
    return envelope;
  };
  const echoOf = (/** @type {string} */ urn) => {
    const found = echoes.find(
      ({ MessageAttributes }) => MessageAttributes?.["bq-job"]?.StringValue === urn,
    );
    assert.ok(found, `${urn} was not published again`);
    return found;
  };
  await checks.check("routed by URN", async () => {
    for (const message of samples) sent.set(message.urn, await publish(queues, queue, message));
    const urns = samples.map(({ urn }) => urn);
    seen = await peer.consume(queue, { ...task, urns, deliveries: urns.length, echo });
    for (const message of samples) seenOf(seen, message);
    echoes = await queues.receive(echo, urns.length);
    assert.deepEqual(await queues.depth(queue), { visible: 0, hidden: 0 }, "not acknowledged");
  });
  for (const message of samples) {
    await checks.check(`body: ${message.name}`, () => {
      holdsPayload(encodeEnvelope(sentOf(message.urn)), message);
      assert.equal(
        echoOf(message.urn).Body,
        encodeEnvelope(sentOf(message.urn)),
        "they write it in other bytes",
      );
    });
  }
  await checks.check("the six attributes", () => {
    for (const { urn, headers } of samples) {
      sameAttributes(echoOf(urn).MessageAttributes, toMessageAttributes(sentOf(urn), headers));
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
