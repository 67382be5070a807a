// The main job of BabelQueue on SQS, from producer to dead-letter queue. It checks itself: it exits
// with 1 and says why if anything that it promises does not happen.
//
//   npx -y pnpm@10 demo                                        on an SQS server embedded in the process
//   npx -y pnpm@10 demo --endpoint URL [--region REGION]       on ElasticMQ, LocalStack, AWS, …
import { parseArgs } from "node:util";
import { showDeadLetters } from "./dead-letters.mjs";
import { connect, embedServer } from "./endpoint.mjs";
import { showFifo } from "./fifo.mjs";
import { createOrdersConsumer, showOrders, showRetries } from "./orders.mjs";
import { check, closing, DemoFailure, failure, section, table, title } from "./print.mjs";
import { Queues } from "./queues.mjs";
import { showTyped } from "./typed.mjs";
import { consumeDuring } from "./wait.mjs";

/** @typedef {import("./endpoint.mjs").Endpoint} Endpoint */
/** @typedef {import("@babelqueue/sqs").SqsConsumerStats} SqsConsumerStats */

const USAGE = "Usage: npx -y pnpm@10 demo [--endpoint URL] [--region REGION]";

/** @param {Endpoint} endpoint */
async function show({ client, where, queuePrefix }) {
  title(where);
  const queues = new Queues(client, queuePrefix);
  process.once("SIGINT", () => {
    void queues.deleteAll().finally(() => process.exit(130));
  });
  try {
    const ordersUrl = await queues.create("orders");
    const deadLetterUrl = await queues.create("orders-dlq");
    const accountsUrl = await queues.create("accounts.fifo");

    const consumed = createOrdersConsumer(client, ordersUrl, deadLetterUrl);
    const { consumer } = consumed;
    await consumeDuring(consumer, async () => {
      await showOrders(client, ordersUrl, consumed);
      await showRetries(client, ordersUrl, consumed);
      await showDeadLetters(client, ordersUrl, deadLetterUrl);
      await showTyped(client, ordersUrl, deadLetterUrl, consumed);
    });
    summarize(consumer.stats(), await showFifo(client, accountsUrl));
  } finally {
    await queues.deleteAll();
  }
}

/**
 * @param {SqsConsumerStats} orders
 * @param {SqsConsumerStats} accounts
 */
function summarize(orders, accounts) {
  section("Summary", "What the two consumers say of themselves: consumer.stats()");
  table([
    ["", "received", "handled", "released", "dead-lettered", "left", "failed deletes"],
    ["orders", ...figuresOf(orders)],
    ["accounts.fifo", ...figuresOf(accounts)],
  ]);
  console.log();
  check(isSettled(orders) && isSettled(accounts), "every message received is accounted for");
}

/** @param {SqsConsumerStats} stats */
function isSettled({ received, handled, released, deadLettered, left, dropped, inFlight }) {
  return inFlight === 0 && received === handled + released + deadLettered + left + dropped;
}

/** @param {SqsConsumerStats} stats */
function figuresOf({ received, handled, released, deadLettered, left, failedDeletes }) {
  return [received, handled, released, deadLettered, left, failedDeletes];
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof DemoFailure) return error.message;
  const { name, message, code } = /** @type {Error & { code?: string }} */ (error);
  return `The demo could not go on. ${name}: ${message || code}`;
}

async function main() {
  /** @type {Endpoint | undefined} */
  let endpoint;
  try {
    const { values } = parseArgs({
      args: process.argv.slice(2).filter((argument) => argument !== "--"),
      options: {
        endpoint: { type: "string" },
        region: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help === true) {
      console.log(USAGE);
      return;
    }
    const startedAt = Date.now();
    endpoint =
      values.endpoint === undefined ? await embedServer() : connect(values.endpoint, values.region);
    await show(endpoint);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    closing(`All went as promised, in ${seconds} s.`);
  } catch (error) {
    failure(explain(error));
    process.exitCode = 1;
  } finally {
    await endpoint?.close();
  }
}

await main();
