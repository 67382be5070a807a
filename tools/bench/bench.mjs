// `pnpm bench`: every figure of the README's table in one run, as ratios. `--json FILE` writes them,
// `--quick` runs one round of fewer messages, `--only TEXT` the scenarios whose title has the text.
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { createEnvelope, encodeEnvelope } from "@babelqueue/core";
import { toMessageAttributes } from "@babelqueue/sqs";
import { measureCodec } from "./codec.mjs";
import { measureMemory } from "./memory.mjs";
import { order, systems, URN } from "./systems.mjs";
import { measureTracing } from "./tracing.mjs";

const { values: options } = parseArgs({
  options: {
    json: { type: "string" },
    only: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
  },
});
const rounds = options.quick ? 1 : 3;
const messages = options.quick ? 2_000 : 10_000;
const callers = 100;
const names = Object.keys(systems);
/** Slower by an order of magnitude, so given less to do. */
const shareOf = { "sqs-producer, sqs-consumer": 0.2 };

const scenarios = [
  ...[0, 15].map((latencyMs) => ({ phase: "produce", latencyMs, handlerMs: 0 })),
  ...[0, 15].flatMap((latencyMs) =>
    [0, 20].map((handlerMs) => ({ phase: "consume", latencyMs, handlerMs })),
  ),
].filter((scenario) => title(scenario).includes(options.only));

const server = fork(new URL("./server.mjs", import.meta.url));
const { endpoint } = await answer(server);
const client = new SQSClient({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
});

let queues = 0;
/** @type {{ scenario: string, system: string, rate: number, requests: number, cpuMicros: number, peakMB: number }[]} */
const runs = [];
for (let round = 0; round < rounds; round += 1) {
  for (const scenario of scenarios) {
    // the order turns from round to round
    for (const system of [
      ...names.slice(round % names.length),
      ...names.slice(0, round % names.length),
    ]) {
      const run = await measure(system, scenario);
      runs.push(run);
      console.error(
        `${round + 1}/${rounds}  ${run.scenario}, ${system}: ${Math.round(run.rate)} messages/s`,
      );
    }
  }
}
server.kill();
client.destroy();

const rows = scenarios.flatMap((scenario) =>
  names.map((system) => {
    const of = runs.filter((run) => run.system === system && run.scenario === title(scenario));
    return {
      scenario: title(scenario),
      system,
      "messages/s": Math.round(median(of.map(({ rate }) => rate))),
      "requests/message": round3(median(of.map(({ requests }) => requests))),
      "CPU µs/message": Math.round(median(of.map(({ cpuMicros }) => cpuMicros))),
      "peak MB": Math.round(median(of.map(({ peakMB }) => peakMB))),
    };
  }),
);
const codec = measureCodec();
const memory = await measureMemory(options.quick ? 200_000 : 1_000_000);
const tracing = await measureTracing();
console.table(rows);
console.table(codec);
console.table(tracing);
console.log(
  `memory while ${memory.messages} messages pass: heap ${memory.afterWarmUpMB} MB after ${memory.warmUp}, ${memory.highestMB} MB at most from then on, ${memory.endMB} MB at the end`,
);
console.table(targets());
if (options.json !== undefined) {
  const report = {
    node: process.version,
    rounds,
    messages,
    rows,
    codec,
    tracing,
    memory,
    targets: targets(),
  };
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}

function targets() {
  const [ours = "", byHand = "", peer = ""] = names;
  const produce = title({ phase: "produce", latencyMs: 15, handlerMs: 0 });
  const consume = title({ phase: "consume", latencyMs: 15, handlerMs: 20 });
  const produce0 = title({ phase: "produce", latencyMs: 0, handlerMs: 0 });
  const consume0 = title({ phase: "consume", latencyMs: 0, handlerMs: 0 });
  const ratio = (
    /** @type {string} */ scenario,
    /** @type {string} */ other,
    /** @type {"messages/s" | "CPU µs/message"} */ key,
  ) => round3((figure(scenario, ours)?.[key] ?? 0) / (figure(scenario, other)?.[key] ?? 1));
  return [
    {
      target: "produce, 15 ms: rate over SDK by hand",
      must: "≥ 0.9",
      is: ratio(produce, byHand, "messages/s"),
    },
    {
      target: "produce, 15 ms: requests a message",
      must: "≤ 0.12",
      is: figure(produce, ours)?.["requests/message"],
    },
    {
      target: "consume, 15 ms, 20 ms: rate over SDK by hand",
      must: "≥ 0.9",
      is: ratio(consume, byHand, "messages/s"),
    },
    {
      target: "consume, 15 ms, 20 ms: rate over sqs-consumer",
      must: "≥ 8",
      is: ratio(consume, peer, "messages/s"),
    },
    {
      target: "consume, 15 ms, 20 ms: requests a message",
      must: "≤ 0.22",
      is: figure(consume, ours)?.["requests/message"],
    },
    {
      target: "produce, 0 ms: CPU over SDK by hand",
      must: "≤ 1.15",
      is: ratio(produce0, byHand, "CPU µs/message"),
    },
    {
      target: "consume, 0 ms: CPU over SDK by hand",
      must: "≤ 1.15",
      is: ratio(consume0, byHand, "CPU µs/message"),
    },
    ...codec.map(({ bytes, ratio: is }) => ({
      target: `codec over JSON at ${bytes} bytes`,
      must: bytes < 1000 ? "≤ 1.6" : "≤ 1.4",
      is,
    })),
    ...tracing.map((row) => ({
      target: `tracing of ${row["tracing of"]}, no SDK: µs over none`,
      must: "≤ 1",
      is: row["no SDK, µs"],
    })),
    {
      target: "memory, highest over after warm-up",
      must: "flat",
      is: round3(memory.highestMB / memory.afterWarmUpMB),
    },
  ];
}

/**
 * @param {string} scenario
 * @param {string} system
 */
function figure(scenario, system) {
  return rows.find((row) => row.scenario === scenario && row.system === system);
}

/**
 * @param {string} system
 * @param {{ phase: string, latencyMs: number, handlerMs: number }} scenario
 */
async function measure(system, scenario) {
  const count = Math.round(
    messages * (system in shareOf ? shareOf["sqs-producer, sqs-consumer"] : 1),
  );
  const worker = fork(new URL("./worker.mjs", import.meta.url));
  const run = async (/** @type {number} */ total) => {
    const queueUrl = await queue(scenario.phase === "consume" ? total : 0);
    await ask(server, { latencyMs: scenario.latencyMs });
    const job = { ...scenario, system, endpoint, queueUrl, messages: total, callers };
    const used = await ask(worker, job);
    const seen = await ask(server, { latencyMs: 0 });
    return { used, seen };
  };
  await run(1_000); // warm-up
  const { used, seen } = await run(count);
  worker.kill();
  const seconds =
    scenario.phase === "produce" ? used.seconds : (seen.lastDeleteAt - seen.firstReceiveAt) / 1000;
  return {
    scenario: title(scenario),
    system,
    rate: count / seconds,
    requests: seen.requests / count,
    cpuMicros: used.cpuMicros,
    peakMB: used.peakMB,
  };
}

/** @param {{ phase: string, latencyMs: number, handlerMs: number }} scenario */
function title({ phase, latencyMs, handlerMs }) {
  return `${phase}, ${latencyMs} ms latency${phase === "consume" ? `, ${handlerMs} ms handlers` : ""}`;
}

/** A new queue with so many messages waiting. @param {number} filled */
async function queue(filled) {
  queues += 1;
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: `bench-${queues}` }));
  for (let n = 0; n < filled; n += 10) {
    await client.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: Array.from({ length: 10 }, (_, index) => {
          const envelope = createEnvelope(URN, order(n + index), { queue: "bench" });
          return {
            Id: String(index),
            MessageBody: encodeEnvelope(envelope),
            MessageAttributes: toMessageAttributes(envelope),
          };
        }),
      }),
    );
  }
  return QueueUrl;
}

/** @param {import("node:child_process").ChildProcess} child */
async function answer(child) {
  const [message] = await once(child, "message");
  return message;
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {object} message
 */
async function ask(child, message) {
  const answered = answer(child);
  child.send(message);
  return answered;
}

/** @param {number[]} values */
function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** @param {number} value */
function round3(value) {
  return Math.round(value * 1000) / 1000;
}
