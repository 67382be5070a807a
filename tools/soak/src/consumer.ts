// Consumes both queues until SIGTERM, or until it is killed. Each handler writes down what it does.
import type { Message } from "@aws-sdk/client-sqs";
import type { Envelope, HandlerContext } from "@babelqueue/core";
import { SqsConsumer } from "@babelqueue/sqs";
import { createClient } from "./client.js";
import { sleep } from "./clock.js";
import { Log } from "./log.js";
import { profileOf } from "./profiles.js";
import type { QueuePair } from "./queues.js";
import { URN, type Work } from "./work.js";

export interface Job {
  slot: number;
  endpoint: string;
  log: string;
  queues: readonly QueuePair[];
}

const { slot, endpoint, log: path, queues } = JSON.parse(process.argv[2] ?? "{}") as Job;
const { maxAttempts, options } = profileOf(slot);
const log = new Log(path);
const client = createClient(endpoint, maxAttempts);
client.middlewareStack.add(
  (next) => async (args) => {
    const result = await next(args);
    const { Messages = [] } = result.output as { Messages?: Message[] };
    if (Messages.length > 0) log.write("received", Messages.map(nameOf).join(" "));
    return result;
  },
  { step: "initialize" },
);

function nameOf({ MessageId, Attributes }: Message): string {
  return `${MessageId}/${Attributes?.ApproximateReceiveCount}`;
}

/** Blocks the whole process: no heartbeat, no answer, nothing. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function handle(
  { data, attempts }: Envelope<Work>,
  message: Message,
  { signal }: HandlerContext,
): Promise<void> {
  const name = nameOf(message);
  const { kind, ms, failures } = data;
  log.write("start", name);
  const onAbort = () => log.write("abort", name);
  signal.addEventListener("abort", onAbort);
  try {
    if (ms > 0) await sleep(ms);
    if (kind === "long") await sleep((options.visibilityTimeoutSeconds ?? 0) * 1400);
    if (kind === "block") block(2200);
    if (kind === "hopeless" || attempts < failures) {
      log.write("throw", name);
      throw new Error(`Attempt ${attempts} of a message that is ${kind}`);
    }
    log.write("success", name);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

const consumers = queues.map(
  ({ url, deadLetterUrl }) =>
    new SqsConsumer(
      client,
      url,
      { [URN]: handle },
      {
        ...options,
        // what waits behind another of its group takes a slot too
        concurrency: (options.concurrency ?? 10) * (url.endsWith(".fifo") ? 4 : 1),
        deadLetterQueueUrl: deadLetterUrl,
        unknownUrnStrategy: "dead_letter",
        onError: (error, _envelope, message) => {
          if (!(error instanceof Error) || /^Attempt \d/.test(error.message)) return;
          const code = "code" in error ? `:${String(error.code)}` : "";
          log.write("error", error.name + code, message === null ? "-" : nameOf(message));
        },
        onWarning: ({ code }) => log.write("warning", code),
      },
    ),
);

process.on("warning", ({ name }) => log.write("warning", name));
process.on("disconnect", () => process.exit());
process.on("SIGTERM", () => void stop());

async function stop(): Promise<void> {
  log.write("stop");
  await Promise.all(consumers.map((consumer) => consumer.stop()));
  log.write("stopped", JSON.stringify(consumers.map((consumer) => consumer.stats())));
}

log.write("run");
process.send?.("ready");
await Promise.all(consumers.map((consumer) => consumer.run()));
log.write("ended");
client.destroy();
process.disconnect();
