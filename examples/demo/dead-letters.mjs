import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { decodeEnvelope } from "@babelqueue/core";
import { check, row, section } from "./print.mjs";
import { drain } from "./queues.mjs";

/** @typedef {import("@aws-sdk/client-sqs").SQSClient} SQSClient */
/** @typedef {import("@aws-sdk/client-sqs").Message} Message */

/** As a service in another language wrote it: a price with its zero, a 64-bit number. */
const UNKNOWN =
  '{"job":"urn:babel:loyalty:granted","trace_id":"5c1f0c3e-6a2b-4a53-9d58-0f0a3b1c9e77",' +
  '"data":{"points":99.90,"customer":9223372036854775807},' +
  '"meta":{"id":"0d9f1a52-70c6-4b53-8f7e-5a4d1c0b9a31","queue":"orders","lang":"php",' +
  '"schema_version":1,"created_at":1749132727000},"attempts":0}';
const POISON = '{"job":"urn:babel:orders:created","data":{"order_id":1042';
const VERSION_2 = '{"spec":2,"type":"urn:babel:orders:created","payload":{"order_id":1042}}';

/**
 * @param {SQSClient} client
 * @param {string} queueUrl
 * @param {string} deadLetterQueueUrl
 */
export async function showDeadLetters(client, queueUrl, deadLetterQueueUrl) {
  section(
    "3  What no handler can take",
    "It is written to the dead-letter queue on its first delivery, and deleted only after that.",
  );
  row("sent", "an unknown URN", "urn:babel:loyalty:granted, written by PHP");
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: UNKNOWN }));
  row("sent", "a poison body", POISON);
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: POISON }));
  row("sent", "a message of version 2", VERSION_2);
  await client.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: VERSION_2,
      MessageAttributes: { "bq-schema-version": { DataType: "Number", StringValue: "2" } },
    }),
  );

  const letters = await drain(client, deadLetterQueueUrl, 3);
  showUnknown(letters.find(({ Body }) => Body?.includes("urn:babel:loyalty:granted"))?.Body);
  showPoison(letters);
  showVerbatim("a message of version 2", VERSION_2, letters);
}

/** @param {string | undefined} body */
function showUnknown(body) {
  check(body !== undefined, "the unknown URN is in the dead-letter queue");
  const block = decodeEnvelope(body ?? "").dead_letter;
  row("in DLQ", "an unknown URN", "dead_letter");
  for (const [key, value] of Object.entries(block ?? {})) {
    row("", "", `  ${key.padEnd(16)}${value}`);
  }
  check(block?.reason === "unknown_urn", "its dead_letter block says why");
  const withoutBlock = body?.replace(/,"dead_letter":\{[^}]*\}/, "");
  check(withoutBlock === UNKNOWN, "all else in it is byte for byte what came: 99.90 is 99.90");
}

/** @param {readonly Message[]} letters */
function showPoison(letters) {
  const raw = `{"raw":${JSON.stringify(POISON)},`;
  const letter = letters.find(({ Body }) => Body?.startsWith(raw));
  check(letter !== undefined, "a poison body is in the dead-letter queue, as text beside a block");
  const { dead_letter: block } =
    /** @type {{ dead_letter?: { reason: string, error: string } }} */ (
      JSON.parse(letter?.Body ?? "{}")
    );
  row("in DLQ", "a poison body", block?.error);
  check(block?.reason === "poison", "its block says why, and shows nothing of it");
  check(reasonOf(letter) === "poison", "its attribute says the same");
}

/**
 * @param {string} name
 * @param {string} body
 * @param {readonly Message[]} letters
 */
function showVerbatim(name, body, letters) {
  const letter = letters.find(({ Body }) => Body === body);
  check(letter !== undefined, `${name} is in the dead-letter queue, verbatim`);
  const reason = reasonOf(letter);
  row("in DLQ", name, `bq-dead-letter-reason: ${reason}`);
  check(reason === "gated", "its attribute says why");
}

/** @param {Message | undefined} letter */
function reasonOf(letter) {
  return letter?.MessageAttributes?.["bq-dead-letter-reason"]?.StringValue;
}
