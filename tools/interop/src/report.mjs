// What a run prints.
import { table } from "./markdown.mjs";
import { probes } from "./server-probes.mjs";
import { differencesOf, watchTable } from "./watch-table.mjs";

/** @typedef {import("./run.mjs").Column} Column */

/** @param {import("./servers.mjs").Server} server */
const titleOf = ({ name, version }) => `${name} ${version}`;

/**
 * @param {readonly string[]} rows
 * @param {readonly Column[]} columns
 */
export function matrix(rows, columns) {
  const lines = rows.map((row) => [
    row,
    ...columns.map(({ cells }) => {
      const checks = cells.get(row);
      if (checks === undefined) return "–";
      const [passed, failed] = [checks.count("passed"), checks.count("failed")];
      const differing = checks.count("known");
      return [
        failed === 0 ? `✓ ${passed}` : `✗ ${failed} of ${checks.done.length}`,
        differing === 0 ? "" : `✗ ${differing} known`,
      ]
        .filter((part) => part !== "")
        .join(", ");
    }),
  ]);
  const head = ["checks", ...columns.map(({ server }) => titleOf(server))];
  return [table(head, lines), "", ...rows.flatMap((row) => reasons(row, columns))].join("\n");
}

/**
 * What is to be said of checks, once for all servers on which it is so.
 *
 * @param {string} row
 * @param {readonly Column[]} columns
 */
function reasons(row, columns) {
  /** @type {Map<string, string[]>} */
  const where = new Map();
  for (const { server, cells } of columns) {
    for (const { name, state, why } of cells.get(row)?.done ?? []) {
      if (why === "") continue;
      const mark = { passed: "✓", failed: "✗", known: "✗ known:" }[state];
      const text = `${mark} ${row}, ${name}: ${why}`;
      where.set(text, [...(where.get(text) ?? []), server.name]);
    }
  }
  return [...where].map(([text, on]) => `${text} (${on.join(", ")})`);
}

/**
 * What a peer makes of what no handler may get: once, and where a server makes it differ.
 *
 * @param {string} peer
 * @param {readonly Column[]} columns
 */
export function watched(peer, columns) {
  const seen = columns.flatMap(({ server, watched: all }) => {
    const observations = all.get(peer);
    return observations === undefined ? [] : [{ server, observations }];
  });
  const [first, ...others] = seen;
  if (first === undefined) return `${peer}: nothing was watched`;
  const differing = others.flatMap(({ server, observations }) =>
    observations.flatMap((observation, index) => {
      const { fate, message, strategy, fifo } = observation;
      const elsewhere = first.observations[index]?.fate;
      if (JSON.stringify(fate) === JSON.stringify(elsewhere)) return [];
      const where = `${message}, strategy ${strategy ?? "unset"}${fifo ? ", FIFO" : ""}`;
      return [`on ${server.name} otherwise: ${where}: ${JSON.stringify(fate)}`];
    }),
  );
  const same = first.observations.filter((one) => differencesOf(one).length === 0).length;
  return [
    watchTable(peer, first.observations),
    `${same} of ${first.observations.length} as docs/settlement.md has it (seen on ${seen.map(({ server }) => server.name).join(", ")})`,
    ...differing,
  ].join("\n");
}

/** @param {readonly Column[]} columns */
export function serverTable(columns) {
  const rows = probes.map(({ question, aws, source }, index) => [
    question,
    `${aws} (${source})`,
    ...columns.map(({ probed }) => (probed[index] === aws ? "as AWS" : (probed[index] ?? "?"))),
  ]);
  const head = ["", "AWS, by its documentation", ...columns.map(({ server }) => titleOf(server))];
  return table(
    head,
    rows.filter((cells) => cells.slice(2).some((cell) => cell !== "as AWS")),
  );
}

/** @param {string} text */
const code = (text) => (text === "an error" ? text : `\`${text}\``);

/**
 * @param {readonly import("./party.mjs").Peer[]} peers
 * @param {readonly string[][]} rows
 */
export function byteTable(peers, rows) {
  const head = ["sent", "node writes", ...peers.map(({ name }) => `${name} writes`)];
  return table(
    head,
    rows.map((cells) => cells.map(code)),
  );
}
