import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Child } from "./children.js";
import { now, sleep } from "./clock.js";
import { ConsumerSlot } from "./consumers.js";
import { ConsumerLogs, type Evidence, readPublications } from "./evidence.js";
import { History } from "./history.js";
import { type Kill, killsOf } from "./kills.js";
import { type Producer, startProducers } from "./producers.js";
import { Proxy } from "./proxy.js";
import { Queues } from "./queues.js";
import type { Endpoints } from "./server.js";
import { type Violation, verdictOn } from "./verdict.js";

export interface Options {
  seed: number;
  /** Messages for the standard queue. */
  standard: number;
  /** Messages for the FIFO queue. */
  fifo: number;
  faults: boolean;
  kills: number;
  consumers: number;
  producers: number;
  groups: number;
  fifoGroups: string;
  /** Keep the logs, whatever the verdict. */
  keep: boolean;
}

export interface Progress {
  seconds: number;
  deleted: number;
  backlog: number;
  requests: number;
  kills: number;
}

export interface Result {
  violations: Violation[];
  evidence: Evidence;
  seconds: number;
  requests: number;
  faults: Record<string, number>;
  /** Of the logs; gone where they are not kept. */
  directory: string;
}

/** Producers wait while so many messages wait to be consumed. */
const MAX_BACKLOG = 3000;
const TICK_MS = 25;
/** Without a message less for so long, something hangs. */
const STALL_MS = 60_000;

/**
 * Runs one soak.
 *
 * @param onProgress every five seconds
 */
export async function soak(
  options: Options,
  onProgress: (progress: Progress) => void,
): Promise<Result> {
  const startedAt = now();
  const directory = await mkdtemp(join(tmpdir(), "soak-"));
  const server = new Child("server.mjs", options.fifoGroups);
  const endpoints = (await server.first) as Endpoints | undefined;
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
  const evidence: Evidence = {
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

/** What a soak that runs is made of. */
interface Parts {
  options: Options;
  startedAt: number;
  history: History;
  proxy: Proxy;
  queues: Queues;
  slots: readonly ConsumerSlot[];
  producers: readonly Producer[];
  onProgress: (progress: Progress) => void;
}

/**
 * Kills and stops consumers until all is published and the queues are empty.
 *
 * @returns what went wrong with it
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
}: Parts): Promise<string[]> {
  const { seed, kills: count, standard, fifo } = options;
  const kills = killsOf(seed, count, standard + fifo, slots.length);
  const failures: string[] = [];
  let publishing = producers.length;
  for (const [index, { child }] of producers.entries()) {
    void child.exited.then(({ code, signal }) => {
      publishing -= 1;
      if (code !== 0)
        failures.push(`producer ${index} ended with ${code ?? signal}: ${child.errors}`);
    });
  }
  const under = new Set<Promise<void>>();
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

async function carryOut(
  { signal, slots: hit, pauseMs }: Kill,
  slots: readonly ConsumerSlot[],
): Promise<void> {
  await Promise.all(
    hit.map(async (index) => {
      await slots[index]?.restart(signal, pauseMs);
    }),
  );
}
