// Every case under every strategy on a standard and a FIFO queue: what a peer makes of it, and what we do.
import assert from "node:assert/strict";
import { cases, strategies } from "./cases.mjs";
import { contract } from "./contract.mjs";
import { consume } from "./ours.mjs";
import { watch } from "./watch.mjs";

/**
 * @typedef {object} Observation
 * @property {string} message
 * @property {boolean} fifo
 * @property {import("./party.mjs").Strategy | null} strategy
 * @property {import("./watch.mjs").Fate} fate
 * @property {import("./watch.mjs").Fate} expected by docs/settlement.md
 */

/**
 * @param {import("./queues.mjs").Queues} queues
 * @param {import("./watch.mjs").Consume} consumeWith
 */
export async function watchAll(queues, consumeWith) {
  /** @type {Observation[]} */
  const observations = [];
  for (const fifo of [false, true]) {
    for (const one of cases) {
      for (const strategy of strategies) {
        const options = { consume: consumeWith, strategy, fifo };
        const fate = await watch(queues, one.make(), options);
        const expected = contract(one, strategy, fifo);
        observations.push({ message: one.name, fifo, strategy, fate, expected });
      }
    }
  }
  return observations;
}

/**
 * Ours is held to the contract.
 *
 * @param {import("./queues.mjs").Queues} queues
 * @param {import("./checks.mjs").Checks} checks
 */
export async function checkOurs(queues, checks) {
  const observations = await watchAll(
    queues,
    async (from, task) => (await consume(queues, from, task)).seen.length,
  );
  for (const { message, fifo, strategy, fate, expected } of observations) {
    const name = `${message}, strategy ${strategy ?? "unset"}${fifo ? ", FIFO" : ""}`;
    await checks.check(name, () =>
      assert.deepEqual(fate, expected, "not as docs/settlement.md has it"),
    );
  }
}
