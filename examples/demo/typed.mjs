import { defineMessage, InvalidPayloadError } from "@babelqueue/core";
import { SqsPublisher } from "@babelqueue/sqs";
import { z } from "zod";
import { check, firstSentence, row, section } from "./print.mjs";
import { drain } from "./queues.mjs";
import { comesTrue } from "./wait.mjs";

/** @typedef {import("@aws-sdk/client-sqs").SQSClient} SQSClient */

export const InvoicePaid = defineMessage({
  urn: "urn:babel:invoices:paid",
  schema: z.object({ invoice_id: z.number(), paid_at: z.iso.datetime().pipe(z.coerce.date()) }),
});

/**
 * @param {SQSClient} client
 * @param {string} queueUrl
 * @param {string} deadLetterQueueUrl
 * @param {{ readonly paidAt: readonly unknown[] }} consumed
 */
export async function showTyped(client, queueUrl, deadLetterQueueUrl, { paidAt }) {
  section(
    "4  A message with a schema",
    "The schema checks what is published and what is received; the handler gets what it makes of it.",
  );
  const publisher = new SqsPublisher(client, queueUrl);
  row("sent", InvoicePaid.urn, 'invoice 7, paid_at "2025-06-05T16:18:47Z"');
  await publisher.publish(InvoicePaid, { invoice_id: 7, paid_at: "2025-06-05T16:18:47Z" });
  await comesTrue(() => paidAt.length > 0);
  check(paidAt[0] instanceof Date, "the handler got a Date");

  /** @type {object} */
  const odd = { invoice_id: 8, paid_at: "yesterday" };
  const refusal = await publisher
    .publish(InvoicePaid, /** @type {never} */ (odd))
    .catch((/** @type {unknown} */ error) => error);
  check(refusal instanceof InvalidPayloadError, "a payload that does not fit is never sent");
  if (refusal instanceof InvalidPayloadError)
    row("refused", refusal.code, firstSentence(refusal.message));

  row("sent", InvoicePaid.urn, "the same, by a producer without the schema");
  await publisher.publish(InvoicePaid.urn, odd);
  const [letter] = await drain(client, deadLetterQueueUrl, 1);
  check(letter?.Body?.includes("yesterday") === true, "it is in the dead-letter queue");
}
