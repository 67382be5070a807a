// One trace across two processes and two queues: starts an SQS server in this process, a producer
// and a consumer in processes of their own, and prints the trace as a tree.
//
//   node examples/tracing/main.mjs
import { fork } from "node:child_process";
import { once } from "node:events";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { buildApp } from "fauxqs";
import { createClient } from "./settings.mjs";
import { treeOf } from "./tree.mjs";

/** @typedef {import("./telemetry.mjs").Span} Span */

/** The order twice, as the first time fails, and the email. */
const MESSAGES_PROCESSED = 3;
const TIMEOUT_MS = 30_000;

const app = buildApp({ logger: false });
const endpoint = await app.listen({ port: 0, host: "127.0.0.1" });
const client = createClient(endpoint);
const [ordersUrl, emailsUrl] = await Promise.all(
  ["orders", "emails"].map(async (QueueName) => {
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName }));
    return QueueUrl;
  }),
);
client.destroy();

/** @type {Span[]} */
const spans = [];
const env = {
  ...process.env,
  SQS_ENDPOINT: endpoint,
  ORDERS_URL: ordersUrl,
  EMAILS_URL: emailsUrl,
};

/** @param {string} program */
function start(program) {
  const child = fork(new URL(program, import.meta.url), { env });
  child.on("message", (message) => spans.push(/** @type {Span} */ (message)));
  return { child, exit: once(child, "exit") };
}

const consumer = start("consumer.mjs");
const producer = start("producer.mjs");
const giveUp = setTimeout(() => consumer.child.disconnect(), TIMEOUT_MS);
consumer.child.on("message", () => {
  const processed = spans.filter(({ name }) => name.startsWith("process ")).length;
  if (processed === MESSAGES_PROCESSED) consumer.child.disconnect();
});
await Promise.all([consumer.exit, producer.exit]);
clearTimeout(giveUp);
await app.close();

const [first, ...others] = new Set(spans.map(({ traceId }) => traceId));
console.log(`\n One trace, two processes, two queues: ${first}\n`);
for (const line of treeOf(spans)) console.log(`   ${line}`);
console.log();
if (first === undefined || others.length > 0) {
  console.error(` ✗ Expected one trace, found ${others.length + (first === undefined ? 0 : 1)}\n`);
  process.exitCode = 1;
}
