// The table "Works with": which versions were tried, where, when.
import { table } from "./markdown.mjs";
import { rowsOf } from "./run.mjs";

/**
 * @param {readonly import("./party.mjs").Peer[]} peers
 * @param {readonly import("./run.mjs").Column[]} columns
 * @param {Date} date
 */
export function worksWith(peers, columns, date) {
  const rows = peers.map(({ name, sdk, version }) => [
    name,
    `\`${sdk}\``,
    version,
    ...columns.map(({ cells }) => verdict(rowsOf(name).map((row) => cells.get(row)))),
    date.toISOString().slice(0, 10),
  ]);
  const on = columns.map(({ server }) => `on ${server.name} ${server.version}`);
  return table(["language", "SDK", "version", ...on, "tried"], rows);
}

/** @param {readonly (import("./checks.mjs").Checks | undefined)[]} all of one language on one server */
function verdict(all) {
  const sum = (/** @type {import("./checks.mjs").Check["state"]} */ state) =>
    all.reduce((count, checks) => count + (checks?.count(state) ?? 0), 0);
  if (sum("failed") > 0 || sum("passed") === 0) return "✗";
  return sum("known") === 0 ? "✓" : `✓, but for ${sum("known")} known`;
}
