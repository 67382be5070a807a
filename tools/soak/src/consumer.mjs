// Consumes both queues until SIGTERM, or until it is killed. Each handler writes down what it does.
import { SqsConsumer } from "@babelqueue/sqs";
import { createClient } from "./client.mjs";
import { sleep } from "./clock.mjs";
import { Log } from "./log.mjs";
import { profileOf } from "./profiles.mjs";
import { URN } from "./work.mjs";

/**
 * @typedef {object} Job
 * @property {number} slot
 * @property {string} endpoint
 * @property {string} log
 * @property {readonly import("./queues.mjs").QueuePair[]} queues
 *
 * @typedef {import("@aws-sdk/client-sqs").Message} Message
 * @typedef {import("@babelqueue/core").Handler<import("./work.mjs").Work, Message>} Handler
 */

const {
  slot,
  endpoint,
  log: path,
  queues,
} = /** @type {Job} */ (JSON.parse(process.argv[2] ?? "{}"));
const { maxAttempts, options } = profileOf(slot);
const log = new Log(path);
const client = createClient(endpoint, maxAttempts);
client.middlewareStack.add(
  (next) => async (args) => {
    const result = await next(args);
    const { Messages = [] } = /** @type {{ Messages?: Message[] }} */ (result.output);
    if (Messages.length > 0) log.write("received", Messages.map(nameOf).join(" "));
    return result;
  },
  { step: "initialize" },
);

/** @param {Message} message */
function nameOf({ MessageId, Attributes }) {
  return `${MessageId}/${Attributes?.ApproximateReceiveCount}`;
}

/** Blocks the whole process: no heartbeat, no answer, nothing. @param {number} ms */
function block(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * @param {Parameters<Handler>[0]} envelope
 * @param {Message} message
 * @param {Parameters<Handler>[2]} context
 */
async function handle({ data, attempts }, message, { signal }) {
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

async function stop() {
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
