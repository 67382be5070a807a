// One measurement in a fresh process: a warm-up, then the run; CPU and peak memory are its own.
import { EventEmitter, once } from "node:events";
import { SQSClient } from "@aws-sdk/client-sqs";
import { systems } from "./systems.mjs";

process.on("disconnect", () => process.exit());

/** @typedef {{ system: string, phase: "produce" | "consume", endpoint: string, queueUrl: string, messages: number, callers: number, handlerMs: number }} Job */

process.on("message", (/** @type {Job} */ job) => void measure(job));

/** @param {Job} job */
async function measure(job) {
  const client = new SQSClient({
    endpoint: job.endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
    requestHandler: { httpAgent: { keepAlive: true, maxSockets: 200 } },
  });
  const { system: name, phase, queueUrl, messages, callers, handlerMs } = job;
  const system = systems[name];
  if (system === undefined) throw new Error(`No system ${name}`);
  const finished = new EventEmitter();
  const done = once(finished, "finished").then(() => undefined);
  let handled = 0;
  const handle = async () => {
    if (handlerMs > 0) await new Promise((resolve) => setTimeout(resolve, handlerMs));
    handled += 1;
    // time for the last deletes
    if (handled === messages) setTimeout(() => finished.emit("finished"), 300);
  };
  const cpu = process.cpuUsage();
  const started = performance.now();
  const task = { client, queueUrl, messages, callers, handle };
  await (phase === "produce" ? system.produce(task) : system.consume(task, done));
  const { user, system: kernel } = process.cpuUsage(cpu);
  process.send?.({
    seconds: (performance.now() - started) / 1000,
    cpuMicros: (user + kernel) / messages,
    peakMB: process.resourceUsage().maxRSS / 1024,
  });
  client.destroy();
}
