// What every language can do here, ours among them.
/**
 * @typedef {import("./child.mjs").Child} Child
 *
 * @typedef {object} Address
 * @property {string} queue
 * @property {string} queueUrl
 * @property {boolean} fifo
 *
 * @typedef {object} Produced what a producer is given
 * @property {string} urn
 * @property {string} data JSON text, so that no number is rounded on the way
 * @property {string | null} traceId
 * @property {Record<string, string>} headers
 *
 * @typedef {object} Consumption
 * @property {readonly string[]} urns that have a handler
 * @property {number} failures so many of the first deliveries fail in the handler
 * @property {number} deliveries to end after, unless the queue is empty before
 * @property {Address | null} echo where a handler publishes again what it was given
 * @property {Address | null} deadLetters
 * @property {Strategy | null} strategy
 * @property {number} waitSeconds how long a receive waits for a message
 *
 * @typedef {"fail" | "delete" | "release" | "dead_letter"} Strategy
 *
 * @typedef {object} Handled what a handler saw
 * @property {string} handler the URN that it is registered for
 * @property {string} body the envelope as its SDK writes it
 * @property {Record<string, string>} headers
 *
 * @typedef {object} Redriven what a peer's own tool made of a dead letter
 * @property {string} urn empty where it found none
 * @property {string} reason of the block; empty where there is none
 * @property {string} to the queue; empty where it knows none
 * @property {boolean} redriven
 *
 * @typedef {object} Party
 * @property {string} name
 * @property {(to: Address, message: Produced) => Promise<string>} produce gives meta.id
 * @property {(from: Address, task: Consumption) => Promise<Handled[]>} consume
 * @property {(body: string) => Promise<string>} recode the body as its SDK writes it after reading it
 * @property {(from: Address, dryRun?: boolean) => Promise<Redriven[]>} redrive sends dead letters back
 * @property {() => Promise<void>} stop
 *
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} sdk
 * @property {string} version
 * @property {(endpoint: string) => Party} start
 */

/** How long one task may take. */
const TASK_MS = 60_000;

/**
 * A peer's two programs: a task a line on stdin, an answer a line on stdout.
 *
 * @param {string} name
 * @param {(program: "producer" | "consumer") => Child} start
 * @returns {Party}
 */
export function startPrograms(name, start) {
  const producer = start("producer");
  const consumer = start("consumer");
  return {
    name,
    produce: async (to, message) => String(await ask(producer, { ...to, ...message })),
    consume: async (from, task) =>
      /** @type {Handled[]} */ (await ask(consumer, { op: "consume", ...from, ...task })),
    recode: async (body) => String(await ask(consumer, { op: "recode", body })),
    redrive: async (from, dryRun = false) =>
      /** @type {Redriven[]} */ (
        await ask(consumer, { op: "redrive", ...from, dryRun, waitSeconds: 0 })
      ),
    stop: async () => {
      await Promise.all([producer.stop(), consumer.stop()]);
    },
  };
}

/**
 * @param {Child} child
 * @param {object} task
 * @returns {Promise<unknown>}
 */
async function ask(child, task) {
  const answer = child.line(answerOf, TASK_MS);
  child.write(JSON.stringify(task));
  const { ok, result, error } = await answer;
  if (!ok) throw new Error(error);
  return result;
}

/**
 * @param {string} line
 * @returns {{ ok: boolean, result?: unknown, error?: string } | undefined} a log line is none
 */
function answerOf(line) {
  if (!line.startsWith('{"ok":')) return undefined;
  return /** @type {{ ok: boolean }} */ (JSON.parse(line));
}
