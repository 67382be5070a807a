// Watches what becomes of a message that no handler may get: the copy in the dead-letter queue, the original.
import { HANDLED } from "./cases.mjs";
import { plainAttributes } from "./compare.mjs";

/** @typedef {import("./cases.mjs").Unhandled} Unhandled */
/** @typedef {import("./party.mjs").Address} Address */
/** @typedef {import("./queues.mjs").Message} Message */

/**
 * @typedef {object} Fate each in words, so that two are compared and read at once
 * @property {number} handled how many times a handler was called
 * @property {string} original
 * @property {string} body
 * @property {string} attributes
 * @property {string} ids
 *
 * @typedef {(from: Address, task: import("./party.mjs").Consumption) => Promise<number>} Consume
 * gives how many times a handler was called
 */

/**
 * @param {import("./queues.mjs").Queues} queues
 * @param {Unhandled} message
 * @param {{ consume: Consume, strategy: import("./party.mjs").Strategy | null, fifo: boolean }} options
 * @returns {Promise<Fate>}
 */
export async function watch(queues, message, { consume, strategy, fifo }) {
  const { queue, deadLetters } = await queues.createPair(fifo);
  const messageId = await queues.send(queue, message.body, message.attributes, message.metaId);
  const handled = await consume(queue, {
    urns: [HANDLED],
    failures: 0,
    // one that is released comes back at once
    deliveries: 5,
    echo: null,
    deadLetters,
    strategy,
    waitSeconds: 0,
  });
  const copies = await queues.receive(deadLetters, 1, 0);
  const { visible, hidden } = await queues.depth(queue);
  const original = visible > 0 ? "released" : hidden > 0 ? "left" : "deleted";
  const [copy] = copies;
  if (copy === undefined) return { handled, original, body: "no copy", attributes: "", ids: "" };
  const names = { queue, deadLetters, messageId };
  return {
    handled,
    original,
    body: copies.length === 1 ? bodyOf(copy, message, names) : `${copies.length} copies`,
    attributes: attributesOf(copy, message, names),
    ids: fifo ? idsOf(copy, message, names) : "none",
  };
}

/** @typedef {{ queue: Address, deadLetters: Address, messageId: string }} Names */

/**
 * @param {Message} copy
 * @param {Unhandled} message
 * @param {Names} names
 */
function bodyOf({ Body = "" }, message, { queue }) {
  if (Body === message.body) return "verbatim";
  const parsed = /** @type {{ raw?: unknown, dead_letter?: Record<string, unknown> }} */ (
    JSON.parse(Body)
  );
  const block = parsed.dead_letter;
  if (block === undefined) return "written anew, no dead_letter";
  const from =
    block["original_queue"] === queue.queue
      ? "from the queue"
      : block["original_queue"] === message.metaQueue
        ? "from `meta.queue`"
        : `from ${String(block["original_queue"])}`;
  const set = (/** @type {string} */ key) => `${key} ${block[key] === null ? "null" : "set"}`;
  const reason = `${String(block["reason"])}, attempts ${String(block["attempts"])}, ${set("error")}, ${set("exception")}, ${from}`;
  if (parsed.raw === message.body) return `\`{"raw":…}\` with dead_letter: ${reason}`;
  const without = Body.replace(/,"dead_letter":\{.*\}\}$/s, "}").replace(/\d+\}$/, "0}");
  const kept = without === message.body;
  const anew = `written anew (99.90 as ${/"total":([^,}]*)/.exec(Body)?.[1]})`;
  return `${kept ? "the received bytes" : anew} with dead_letter: ${reason}`;
}

/**
 * @param {Message} copy
 * @param {Unhandled} message
 * @param {Names} names
 */
function attributesOf({ MessageAttributes }, message, { queue }) {
  const received = plainAttributes(message.attributes);
  const copied = plainAttributes(MessageAttributes);
  const value = (/** @type {string | undefined} */ text = "") =>
    text.replace(/^\w+ /, "") === queue.queue ? "the queue" : text.replace(/^\w+ /, "");
  const missing = Object.keys(received).filter((name) => copied[name] === undefined);
  const changed = Object.keys(received).filter(
    (name) => copied[name] !== undefined && copied[name] !== received[name],
  );
  const added = Object.keys(copied).filter((name) => received[name] === undefined);
  if (Object.keys(copied).length === 0) return "none";
  return [
    "as received",
    missing.length > 0 ? `without ${missing.join(", ")}` : "",
    changed.length > 0
      ? `but ${changed.map((name) => `${name}=${value(copied[name])} (was ${value(received[name])})`).join(", ")}`
      : "",
    added.length > 0
      ? `and ${added
          .sort()
          .map((name) => `${name}=${value(copied[name])}`)
          .join(", ")}`
      : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/**
 * @param {Message} copy
 * @param {Unhandled} message
 * @param {Names} names
 */
function idsOf({ Attributes }, message, { queue, deadLetters, messageId }) {
  const meanings = new Map([
    [queue.queue, "the queue"],
    [deadLetters.queue, "the dead-letter queue"],
    [messageId, "the SQS message id"],
    [message.metaId, "`meta.id`"],
  ]);
  const meaning = (/** @type {string | undefined} */ id = "none") => meanings.get(id) ?? id;
  return `group: ${meaning(Attributes?.MessageGroupId)}, deduplication: ${meaning(Attributes?.MessageDeduplicationId)}`;
}
