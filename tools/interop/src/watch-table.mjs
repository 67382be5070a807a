// What the peers do with what no handler may get, as a markdown table.

/** @typedef {import("./watch-all.mjs").Observation} Observation */

/**
 * Strategies, and kinds of queue, that end the same share a row.
 *
 * @param {string} peer
 * @param {readonly Observation[]} observations
 */
export function watchTable(peer, observations) {
  const rows = [...groupBy(observations, keyOf).values()].map((alike) => {
    const [first] = alike;
    if (first === undefined) return "";
    const { fate } = first;
    const set = [...new Set(alike.map(({ strategy }) => strategy ?? "unset"))].join(", ");
    const queue = first.fifo ? "FIFO" : "standard";
    const differs = differencesOf(first).join("; ");
    return [
      "",
      first.message,
      queue,
      set,
      fate.body,
      fate.attributes,
      fate.ids,
      `${fate.original}${fate.handled > 0 ? ", handled" : ""}`,
      differs === "" ? "no" : differs,
      "",
    ].join(" | ");
  });
  return [
    `| ${peer}: message | queue | strategy | the copy's body | its attributes | its FIFO ids | the original | differs from the contract |`,
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map((row) => row.trim()),
  ].join("\n");
}

/** @param {Observation} observation */
function keyOf(observation) {
  const { message, fifo, fate } = observation;
  return JSON.stringify([message, fifo, fate, differencesOf(observation)]);
}

/** @param {Observation} observation */
export function differencesOf({ fate, expected }) {
  const differences = [];
  if (fate.handled > 0) differences.push("a handler was called");
  if (fate.original !== expected.original) {
    differences.push(`the original should be ${expected.original}`);
  }
  if ((fate.body === "no copy") !== (expected.body === "no copy")) {
    differences.push(expected.body === "no copy" ? "should write no copy" : "should write a copy");
  } else {
    for (const part of /** @type {const} */ (["body", "attributes", "ids"])) {
      if (fate[part] !== expected[part]) differences.push(part);
    }
  }
  return differences;
}

/**
 * @template T
 * @param {readonly T[]} all
 * @param {(one: T) => string} keyFor
 * @returns {Map<string, T[]>}
 */
function groupBy(all, keyFor) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const one of all) groups.set(keyFor(one), [...(groups.get(keyFor(one)) ?? []), one]);
  return groups;
}
