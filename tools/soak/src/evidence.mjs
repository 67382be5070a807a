import { readLog } from "./log.mjs";

/**
 * @typedef {import("./history.mjs").Message} Message
 *
 * @typedef {object} Run one handler that ran for one delivery
 * @property {string} client
 * @property {number} count the delivery's `ApproximateReceiveCount`
 * @property {number} startedAt
 * @property {number | undefined} endedAt undefined where the process was killed first
 * @property {boolean} isSuccess
 * @property {number | undefined} abortedAt when its signal aborted
 * @property {boolean} isAbandoned the consumer stopped without it, and reported that
 *
 * @typedef {object} Instance a consumer process, from its start to its end
 * @property {string} client
 * @property {"stopped" | "killed" | "crashed" | "hung"} end
 * @property {string} detail
 * @property {number | undefined} stoppedAt when `stop()` had resolved
 * @property {number} endedAt
 *
 * @typedef {object} Publication a message as its producer sees it
 * @property {string} envelope
 * @property {string | undefined} group
 * @property {number} firstCall the number of the first call in its producer
 * @property {number | undefined} confirmedCall the number of the call that was confirmed
 *
 * @typedef {object} Evidence all that a verdict is made from
 * @property {ReadonlyMap<string, Message>} messages
 * @property {ReadonlyMap<string, number>} copies when an envelope was copied to a dead-letter queue
 * @property {import("./queues.mjs").DeadLetters} deadLetters
 * @property {readonly (readonly Publication[])[]} publications by producer, by first call
 * @property {ReadonlyMap<string, readonly Run[]>} runs by SQS message id, by their start
 * @property {ReadonlyMap<string, number>} received when a delivery reached its consumer
 * @property {ReadonlyMap<string, readonly number[]>} failedDeletes when a consumer gave a delete up, by client and message
 * @property {readonly Instance[]} instances
 * @property {Readonly<Record<string, number>>} reports errors and warnings by name
 * @property {number} depth how many messages are left in the queues
 * @property {readonly string[]} failures what went wrong with the soak itself
 */

/**
 * The key of a delivery to a consumer.
 *
 * @param {string} client
 * @param {string} id
 * @param {number} count
 */
export function deliveryKey(client, id, count) {
  return `${client} ${id}/${count}`;
}

/**
 * The key of a message at a consumer.
 *
 * @param {string} client
 * @param {string} id
 */
export function messageKey(client, id) {
  return `${client} ${id}`;
}

/** What the consumers' logs say. */
export class ConsumerLogs {
  /** @type {Map<string, Run[]>} */
  runs = new Map();
  /** @type {Map<string, number>} */
  received = new Map();
  /** @type {Map<string, number[]>} */
  failedDeletes = new Map();
  /** @type {Record<string, number>} */
  reports = {};
  /** When `stop()` had resolved, by client. */
  /** @type {Map<string, number>} */
  stopped = new Map();

  /**
   * @param {string} client
   * @param {string} path
   */
  read(client, path) {
    /** @type {Map<string, Run>} */
    const open = new Map();
    for (const { kind, at, fields } of readLog(path)) {
      const [name = ""] = fields;
      const run = open.get(name);
      switch (kind) {
        case "received":
          for (const one of fields) this.received.set(`${client} ${one}`, at);
          break;
        case "start":
          open.set(name, this.#start(client, name, at));
          break;
        case "success":
        case "throw":
          if (run === undefined) break;
          run.endedAt = at;
          run.isSuccess = kind === "success";
          break;
        case "abort":
          if (run !== undefined) run.abortedAt = at;
          break;
        case "error":
          this.#error(client, name, open.get(fields[1] ?? ""), fields[1] ?? "", at);
          this.reports[name] = (this.reports[name] ?? 0) + 1;
          break;
        case "warning":
          this.reports[name] = (this.reports[name] ?? 0) + 1;
          break;
        case "stopped":
          this.stopped.set(client, at);
          break;
        default:
      }
    }
  }

  /** The runs of each message in the order of their starts. */
  sort() {
    for (const runs of this.runs.values()) runs.sort((a, b) => a.startedAt - b.startedAt);
  }

  /**
   * @param {string} client
   * @param {string} error
   * @param {Run | undefined} run
   * @param {string} name
   * @param {number} at
   */
  #error(client, error, run, name, at) {
    if (error.startsWith("HandlerUnfinishedError") && run !== undefined) run.isAbandoned = true;
    if (!error.startsWith("SqsDeleteError")) return;
    const key = messageKey(client, name.slice(0, name.indexOf("/")));
    const times = this.failedDeletes.get(key);
    if (times === undefined) this.failedDeletes.set(key, [at]);
    else times.push(at);
  }

  /**
   * @param {string} client
   * @param {string} name
   * @param {number} at
   */
  #start(client, name, at) {
    const slash = name.indexOf("/");
    const id = name.slice(0, slash);
    /** @type {Run} */
    const run = {
      client,
      count: Number(name.slice(slash + 1)),
      startedAt: at,
      endedAt: undefined,
      isSuccess: false,
      abortedAt: undefined,
      isAbandoned: false,
    };
    const runs = this.runs.get(id);
    if (runs === undefined) this.runs.set(id, [run]);
    else runs.push(run);
    return run;
  }
}

/**
 * What a producer's log says.
 *
 * @param {string} path
 * @returns {Publication[]} in the order of their first calls
 */
export function readPublications(path) {
  /** @type {Map<string, Publication>} */
  const publications = new Map();
  /** @type {Map<string, string>} */
  const calls = new Map();
  for (const { kind, fields } of readLog(path)) {
    const [call = "", envelope = "", group] = fields;
    if (kind === "call") {
      calls.set(call, envelope);
      if (publications.has(envelope)) continue;
      publications.set(envelope, {
        envelope,
        group: group === "-" ? undefined : group,
        firstCall: Number(call),
        confirmedCall: undefined,
      });
    } else if (kind === "confirmed") {
      const publication = publications.get(calls.get(call) ?? "");
      if (publication !== undefined) publication.confirmedCall = Number(call);
    } else if (kind === "published") {
      // by publishBatch: the envelope is known only now
      publications.set(envelope, {
        envelope,
        group: undefined,
        firstCall: Number(call),
        confirmedCall: Number(call),
      });
    }
  }
  return [...publications.values()];
}
