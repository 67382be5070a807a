/**
 * A stream of numbers in [0, 1) that the seed and the salts decide alone (mulberry32).
 *
 * @param {number} seed
 * @param {...number} salts
 * @returns {() => number}
 */
export function randomFor(seed, ...salts) {
  let state = salts.reduce((mixed, salt) => scramble(mixed ^ scramble(salt)), scramble(seed));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return scramble(state) / 2 ** 32;
  };
}

/** @param {number} value */
function scramble(value) {
  let mixed = (value + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * A whole number from `min` to `max`.
 *
 * @param {() => number} random
 * @param {number} min
 * @param {number} max
 */
export function between(random, min, max) {
  return min + Math.floor(random() * (max - min + 1));
}

/**
 * One of the keys, by weight; `rest` where the weights leave room below 1.
 *
 * @template {string} K
 * @template {string} R
 * @param {number} roll in [0, 1)
 * @param {Readonly<Record<K, number>>} weights
 * @param {R} rest
 * @returns {K | R}
 */
export function pick(roll, weights, rest) {
  let left = roll;
  for (const key of /** @type {K[]} */ (Object.keys(weights))) {
    left -= weights[key];
    if (left < 0) return key;
  }
  return rest;
}
