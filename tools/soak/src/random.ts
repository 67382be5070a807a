/** A stream of numbers in [0, 1) that the seed and the salts decide alone (mulberry32). */
export function randomFor(seed: number, ...salts: number[]): () => number {
  let state = salts.reduce((mixed, salt) => scramble(mixed ^ scramble(salt)), scramble(seed));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return scramble(state) / 2 ** 32;
  };
}

function scramble(value: number): number {
  let mixed = (value + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A whole number from `min` to `max`. */
export function between(random: () => number, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

/**
 * One of the keys, by weight; `rest` where the weights leave room below 1.
 *
 * @param roll in [0, 1)
 */
export function pick<K extends string, R extends string>(
  roll: number,
  weights: Readonly<Record<K, number>>,
  rest: R,
): K | R {
  let left = roll;
  for (const key of Object.keys(weights) as K[]) {
    left -= weights[key];
    if (left < 0) return key;
  }
  return rest;
}
