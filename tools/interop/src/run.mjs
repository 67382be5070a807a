// All cells of one server: a column of the matrix.

import { differentBytes } from "./bytes.mjs";
import { Checks } from "./checks.mjs";
import { ourDeadLetters } from "./our-dead-letters.mjs";
import { OURS } from "./ours.mjs";
import { oursToTheirs } from "./ours-to-theirs.mjs";
import { Queues } from "./queues.mjs";
import { probe } from "./server-probes.mjs";
import { theirDeadLetters } from "./their-dead-letters.mjs";
import { theirsToOurs } from "./theirs-to-ours.mjs";
import { checkOurs, watchAll } from "./watch-all.mjs";

/**
 * @typedef {object} Column
 * @property {import("./servers.mjs").Server} server
 * @property {Map<string, Checks>} cells by row
 * @property {Map<string, import("./watch-all.mjs").Observation[]>} watched by peer
 * @property {string[]} probed
 * @property {string[][]} bytes
 */

/** @param {string} peer */
export const rowsOf = (peer) => [`${peer} → ${OURS}`, `${OURS} → ${peer}`];

export const OUR_ROW = `${OURS}, dead letters as the contract`;

/**
 * @param {import("./servers.mjs").Server} server
 * @param {readonly import("./party.mjs").Peer[]} peers
 * @returns {Promise<Column>}
 */
export async function runServer(server, peers) {
  /** @type {Column} */
  const column = { server, cells: new Map(), watched: new Map(), probed: [], bytes: [] };
  const { endpoint, stop } = await server.start();
  const parties = peers.map((peer) => peer.start(endpoint));
  const ours = new Queues(endpoint, OURS);
  try {
    await Promise.all([
      ...parties.map((party) => runPeer(column, endpoint, party)),
      cell(column, OUR_ROW, (checks) => checkOurs(ours, checks)),
    ]);
    column.probed = await probe(ours);
    column.bytes = await differentBytes(parties);
  } finally {
    ours.stop();
    await Promise.all(parties.map((party) => party.stop()));
    await stop();
  }
  return column;
}

/**
 * @param {Column} column
 * @param {string} endpoint
 * @param {import("./party.mjs").Party} party
 */
async function runPeer(column, endpoint, party) {
  const queues = new Queues(endpoint, party.name);
  const [toOurs = "", toTheirs = ""] = rowsOf(party.name);
  try {
    await cell(column, toOurs, async (checks) => {
      await theirsToOurs(party, queues, checks);
      await theirDeadLetters(party, queues, checks);
    });
    await cell(column, toTheirs, async (checks) => {
      await oursToTheirs(party, queues, checks);
      await ourDeadLetters(party, queues, checks);
    });
    const watched = await watchAll(
      queues,
      async (from, task) => (await party.consume(from, task)).length,
    );
    column.watched.set(party.name, watched);
  } finally {
    queues.stop();
  }
}

/**
 * @param {Column} column
 * @param {string} row
 * @param {(checks: Checks) => Promise<void>} run
 */
async function cell(column, row, run) {
  const checks = new Checks(`${row} on ${column.server.name}`);
  column.cells.set(row, checks);
  await run(checks);
}
