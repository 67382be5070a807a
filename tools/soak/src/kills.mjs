import { between, randomFor } from "./random.mjs";

/**
 * @typedef {object} Kill
 * @property {number} after when so many messages are deleted
 * @property {import("./consumers.mjs").Signal} signal
 * @property {readonly number[]} slots whom it befalls
 * @property {number} pauseMs until they are started again
 */

/**
 * Who is killed or stopped, how, and when: the seed decides. Both signals are among them, if there
 * are two; now and then every consumer is hit at once.
 *
 * @param {number} seed
 * @param {number} count
 * @param {number} messages
 * @param {number} slots
 * @returns {Kill[]}
 */
export function killsOf(seed, count, messages, slots) {
  const random = randomFor(seed, 6);
  const all = Array.from({ length: slots }, (_, slot) => slot);
  return Array.from({ length: count }, (_, index) => {
    const isKill = index < 2 ? index === seed % 2 : random() < 0.5;
    return {
      // spread over the run, its last tenth spared
      after: Math.floor(((index + random()) / count) * messages * 0.9),
      signal: isKill ? "SIGKILL" : "SIGTERM",
      slots: index % 6 === 5 ? all : [between(random, 0, slots - 1)],
      pauseMs: between(random, 0, 600),
    };
  });
}
