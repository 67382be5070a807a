import { BabelQueueError, UnknownUrnStrategy, UrnRouter } from "@babelqueue/core";
import { SqsConsumer, SqsPublisher } from "@babelqueue/sqs";
import { check, firstSentence, row, section } from "./print.mjs";
import { InvoicePaid } from "./typed.mjs";
import { comesTrue } from "./wait.mjs";

/** @typedef {import("@aws-sdk/client-sqs").SQSClient} SQSClient */
/** @typedef {import("@aws-sdk/client-sqs").Message} Message */
/**
 * @template T
 * @typedef {import("@babelqueue/core").Envelope<T>} Envelope
 */
/** @typedef {{ order_id: number | bigint, total: string }} Order */
/** @typedef {{ order_id: number, carrier: string }} Shipment */
/** @typedef {{ payment_id: number }} Payment */

const CREATED = "urn:babel:orders:created";
const SHIPPED = "urn:babel:orders:shipped";
const CHARGE = "urn:babel:payments:charge";

/**
 * The consumer of the orders queue, and what its handlers have seen.
 *
 * @param {SQSClient} client
 * @param {string} queueUrl
 * @param {string} deadLetterQueueUrl
 */
export function createOrdersConsumer(client, queueUrl, deadLetterQueueUrl) {
  /** @type {Set<number | bigint>} */
  const orders = new Set();
  /** @type {number[]} */
  const chargeAttempts = [];
  /** @type {unknown[]} */
  const paidAt = [];

  const router = new UrnRouter()
    .on(CREATED, (/** @type {Envelope<Order>} */ { job, data }) => {
      const isLarge = typeof data.order_id === "bigint";
      const note = isLarge ? "  (beyond 2^53: a bigint, not rounded)" : "";
      row("handled", job, `order ${data.order_id}${note}`);
      orders.add(data.order_id);
    })
    .on(SHIPPED, (/** @type {Envelope<Shipment>} */ { job, data }) => {
      row("handled", job, `order ${data.order_id} by ${data.carrier}`);
      orders.add(-data.order_id);
    })
    .on(CHARGE, (/** @type {Envelope<Payment>} */ { job, data, attempts }) => {
      chargeAttempts.push(attempts);
      if (attempts < 2) throw new Error("the bank does not answer");
      row("handled", job, `payment ${data.payment_id}, attempts ${attempts}`);
    })
    .on(InvoicePaid, ({ job, data }) => {
      row("handled", job, `invoice ${data.invoice_id}, paid in ${data.paid_at.getUTCFullYear()}`);
      paidAt.push(data.paid_at);
    });

  const consumer = new SqsConsumer(client, queueUrl, router, {
    deadLetterQueueUrl,
    unknownUrnStrategy: UnknownUrnStrategy.DEAD_LETTER,
    releaseDelaySeconds: 0,
    waitTimeSeconds: 1,
    pollGraceMs: 100,
    onError: (error, envelope) => {
      const why = error instanceof Error ? error.message : String(error);
      if (error instanceof BabelQueueError) {
        row("refused", error.code, firstSentence(why));
      } else {
        row("failed", String(envelope?.job), `attempts ${envelope?.attempts}, "${why}": released`);
      }
    },
  });
  return { consumer, orders, chargeAttempts, paidAt };
}

/**
 * @param {SQSClient} client
 * @param {string} queueUrl
 * @param {ReturnType<typeof createOrdersConsumer>} consumed
 */
export async function showOrders(client, queueUrl, { orders }) {
  section("1  Orders by URN", "A message is named by a URN, and the handler of that URN gets it.");
  const publisher = new SqsPublisher(client, queueUrl);
  /** @type {Order[]} */
  const created = [
    { order_id: 1042, total: "99.90" },
    { order_id: 1043, total: "12.50" },
    { order_id: 9_007_199_254_740_993n, total: "0.01" },
  ];
  for (const { order_id: id } of created) row("sent", CREATED, `order ${id}`);
  row("sent", SHIPPED, "order 1042 by bicycle");
  await Promise.all([
    ...created.map((order) => publisher.publish(CREATED, order)),
    publisher.publish(SHIPPED, { order_id: 1042, carrier: "bicycle" }),
  ]);
  const isHandled = await comesTrue(() => orders.size === 4);
  check(isHandled, "4 orders published together, 4 handled");
}

/**
 * @param {SQSClient} client
 * @param {string} queueUrl
 * @param {ReturnType<typeof createOrdersConsumer>} consumed
 */
export async function showRetries(client, queueUrl, { chargeAttempts }) {
  section(
    "2  A handler that fails twice",
    "What a handler throws is reported, and the message released; attempts counts the deliveries.",
  );
  row("sent", CHARGE, "payment 77");
  await new SqsPublisher(client, queueUrl).publish(CHARGE, { payment_id: 77 });
  await comesTrue(() => chargeAttempts.length >= 3);
  check(chargeAttempts.join(", ") === "0, 1, 2", "the handler saw attempts 0, 1, 2");
}
