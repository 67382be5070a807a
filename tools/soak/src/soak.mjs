import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Child } from "./children.mjs";
import { now, sleep } from "./clock.mjs";
import { ConsumerSlot } from "./consumers.mjs";
import { ConsumerLogs, readPublications } from "./evidence.mjs";
import { History } from "./history.mjs";
import { killsOf } from "./kills.mjs";
import { Proxy } from "./proxy.mjs";
import { Queues } from "./queues.mjs";
import { verdictOn } from "./verdict.mjs";

/**
 * @typedef {object} Options
 * @property {number} seed
 * @property {number} standard messages for the standard queue
 * @property {number} fifo messages for the FIFO queue
 * @property {boolean} faults
 * @property {number} kills
 * @property {number} consumers
 * @property {number} producers
 * @property {number} groups
 * @property {string} fifoGroups
 * @property {boolean} keep keep the logs, whatever the verdict
 *
 * @typedef {object} Progress
 * @property {number} seconds
 * @property {number} deleted
 * @property {number} backlog
 * @property {number} requests
 * @property {number} kills
 *
 * @typedef {object} Result
 * @property {import("./verdict.mjs").Violation[]} violations
 * @property {import("./evidence.mjs").Evidence} evidence
 * @property {number} seconds
 * @property {number} requests
 * @property {Record<string, number>} faults
 * @property {string} directory of the logs; gone where they are not kept
 */

/** Producers wait while so many messages wait to be consumed. */
const MAX_BACKLOG = 3000;
const TICK_MS = 25;
/** Without a message less for so long, something hangs. */
const STALL_MS = 60_000;

/**
 * Runs one soak.
 *
 * @param {Options} options
 * @param {(progress: Progress) => void} onProgress every five seconds
 * @returns {Promise<Result>}
 */
export async function soak(options, onProgress) {
  const startedAt = now();
  const directory = await mkdtemp(join(tmpdir(), "soak-"));
  const server = new Child("server.mjs", options.fifoGroups);
  const endpoints = /** @type {import("./server.mjs").Endpoints | undefined} */ (
    await server.first
  );
  if (endpoints === undefined) throw new Error(`The server did not start: ${server.errors}`);
  const queues = new Queues(endpoints);
  await queues.create("soak");
  await queues.create("soak.fifo");
  const history = new History(queues.pairs.map(({ name }) => name));
  const proxy = new Proxy({
    upstream: endpoints,
    history,
    seed: options.seed,
    faults: options.faults,
  });
  const url = await proxy.listen();
  const slots = Array.from(
    { length: options.consumers },
    (_, slot) => new ConsumerSlot({ slot, proxy: url, directory, queues: queues.pairs }),
  );
  for (const slot of slots) slot.start();
  const producers = startProducers(options, url, directory, queues);

  const failures = await consumeAll({
    options,
    startedAt,
    history,
    proxy,
    queues,
    slots,
    producers,
    onProgress,
  });
  await Promise.all(slots.map((slot) => slot.end("SIGTERM")));
  const depth = await queues.depth();
  const deadLetters = await queues.readDeadLetters();
  const seconds = (now() - startedAt) / 1000;
  proxy.close();
  queues.close();
  for (const { child } of producers) child.kill("SIGKILL");
  server.kill("SIGKILL");

  const logs = new ConsumerLogs();
  const ended = slots.flatMap((slot) => slot.ended);
  for (const { log } of [...ended, ...producers]) {
    if (!existsSync(log)) failures.push(`${log} is gone: what the rules say is worth nothing`);
  }
  for (const { client, log } of ended) logs.read(client, log);
  logs.sort();
  /** @type {import("./evidence.mjs").Evidence} */
  const evidence = {
    messages: history.messages,
    copies: history.copies,
    deadLetters,
    publications: producers.map(({ log }) => readPublications(log)),
    runs: logs.runs,
    received: logs.received,
    failedDeletes: logs.failedDeletes,
    instances: ended.map((one) => ({ ...one, stoppedAt: logs.stopped.get(one.client) })),
    reports: logs.reports,
    depth,
    failures,
  };
  const violations = verdictOn(evidence);
  if (violations.length === 0 && !options.keep) await rm(directory, { recursive: true });
  const { requests, faults } = proxy;
  return { violations, evidence, seconds, requests, faults, directory };
}

/** @typedef {{ child: Child, log: string }} Producer */

/**
 * @param {Options} options
 * @param {string} proxy
 * @param {string} directory
 * @param {Queues} queues
 * @returns {Producer[]}
 */
function startProducers({ seed, producers, standard, fifo, groups }, proxy, directory, queues) {
  const [standardUrl = "", fifoUrl = ""] = queues.pairs.map(({ url }) => url);
  return Array.from({ length: producers }, (_, index) => {
    const client = `producer-${index}`;
    const log = join(directory, `${client}.log`);
    const endpoint = `${proxy}/${client}`;
    /** @type {import("./producer.mjs").Job} */
    const job = {
      index,
      producers,
      seed,
      endpoint,
      log,
      standardUrl,
      fifoUrl,
      standard,
      fifo,
      groups,
    };
    return { child: new Child("producer.mjs", JSON.stringify(job)), log };
  });
}

/**
 * Kills and stops consumers until all is published and the queues are empty.
 *
 * @param {object} run
 * @param {Options} run.options
 * @param {number} run.startedAt
 * @param {History} run.history
 * @param {Proxy} run.proxy
 * @param {Queues} run.queues
 * @param {readonly ConsumerSlot[]} run.slots
 * @param {readonly Producer[]} run.producers
 * @param {(progress: Progress) => void} run.onProgress
 * @returns {Promise<string[]>} what went wrong with it
 */
async function consumeAll({
  options,
  startedAt,
  history,
  proxy,
  queues,
  slots,
  producers,
  onProgress,
}) {
  const { seed, kills: count, standard, fifo } = options;
  const kills = killsOf(seed, count, standard + fifo, slots.length);
  /** @type {string[]} */
  const failures = [];
  let publishing = producers.length;
  for (const [index, { child }] of producers.entries()) {
    void child.exited.then(({ code, signal }) => {
      publishing -= 1;
      if (code !== 0)
        failures.push(`producer ${index} ended with ${code ?? signal}: ${child.errors}`);
    });
  }
  /** @type {Set<Promise<void>>} */
  const under = new Set();
  let done = 0;
  let isOpen = true;
  let progressAt = startedAt;
  let last = { deleted: -1, requests: 0, at: now() };
  for (;;) {
    await sleep(TICK_MS);
    const { deleted, backlog } = history;
    if (isOpen !== backlog < MAX_BACKLOG) {
      isOpen = !isOpen;
      for (const { child } of producers) child.send({ isOpen });
    }
    for (let kill = kills[done]; kill !== undefined && kill.after <= deleted; kill = kills[done]) {
      done += 1;
      const carried = carryOut(kill, slots).finally(() => under.delete(carried));
      under.add(carried);
    }
    const time = now();
    if (time - progressAt >= 5000) {
      progressAt = time;
      const seconds = (time - startedAt) / 1000;
      onProgress({ seconds, deleted, backlog, requests: proxy.requests, kills: done });
    }
    if (deleted > last.deleted) last = { deleted, requests: proxy.requests, at: time };
    if (time - last.at > STALL_MS) {
      failures.push(
        `no message was deleted for ${STALL_MS} ms, in ${proxy.requests - last.requests} requests`,
      );
      break;
    }
    if (publishing > 0 || proxy.late > 0) continue;
    if ((await queues.depth()) === 0 && proxy.late === 0) break;
  }
  await Promise.all(under);
  return failures;
}

/**
 * @param {import("./kills.mjs").Kill} kill
 * @param {readonly ConsumerSlot[]} slots
 */
async function carryOut({ signal, slots: hit, pauseMs }, slots) {
  await Promise.all(
    hit.map(async (index) => {
      await slots[index]?.restart(signal, pauseMs);
    }),
  );
}
