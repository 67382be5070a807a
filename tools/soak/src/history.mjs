/**
 * What the proxy saw, message by message. Times are {@link now}'s; `at` is when SQS applied it.
 *
 * @typedef {object} Delivery a message handed out by a receive
 * @property {Message} message
 * @property {number} count its `ApproximateReceiveCount`, which tells the deliveries of a message apart
 * @property {string} client who asked
 * @property {number} at
 * @property {number} timeoutMs
 *
 * @typedef {object} Settle a delete or a visibility change, as a client sent it
 * @property {Delivery} delivery
 * @property {string} client
 * @property {number | undefined} seconds of a visibility change; undefined for a delete
 * @property {number} sentAt
 * @property {number | undefined} at undefined where SQS refused it, or never saw it
 * @property {number | undefined} confirmedAt when the client was answered that it was done
 * @property {boolean} isCopy the network made it, not the client
 *
 * @typedef {object} Message
 * @property {string} id SQS's own
 * @property {string} queue
 * @property {string | undefined} envelope its `meta.id`
 * @property {string | undefined} group
 * @property {string | undefined} sequence SQS's number of it in a FIFO queue
 * @property {Delivery[]} deliveries
 * @property {Settle[]} settles
 *
 * @typedef {object} Exchange one request, as it reached the proxy
 * @property {string} client
 * @property {string} operation
 * @property {Input} input
 * @property {number} sentAt
 * @property {Map<string, Settle>} settles by entry id
 *
 * @typedef {import("@aws-sdk/client-sqs").MessageAttributeValue} Attribute
 * @typedef {object} Entry an entry of a batch, or a request for one message
 * @property {string} [Id]
 * @property {string} [ReceiptHandle]
 * @property {number} [VisibilityTimeout]
 * @property {string} [MessageGroupId]
 * @property {Record<string, Attribute>} [MessageAttributes]
 * @typedef {Entry & { QueueUrl?: string, Entries?: Entry[] }} Input
 *
 * @typedef {object} Done an entry of an answer, or the answer itself
 * @property {string} [Id]
 * @property {string} [MessageId]
 * @property {string} [SequenceNumber]
 * @typedef {{ Id: string, Code: string, SenderFault: boolean, Message?: string }} Failed
 * @typedef {import("@aws-sdk/client-sqs").Message} Received
 * @typedef {Done & { Successful?: Done[], Failed?: Failed[], Messages?: Received[] }} Output
 */

/** The id of the only entry of a request that is no batch. */
const ONLY = "only";

/** Everything that happened between the clients and SQS. */
export class History {
  /** @type {Map<string, Message>} */
  messages = new Map();
  /** When a copy of an envelope was first written to a dead-letter queue, by `meta.id`. */
  /** @type {Map<string, number>} */
  copies = new Map();
  /** Messages whose delete a client was told of. */
  deleted = 0;
  #accepted = 0;
  /** @type {Map<string, Delivery>} */
  #deliveries = new Map();
  /** @type {Set<string>} */
  #queues;
  /** @type {Set<Message>} */
  #deleted = new Set();

  /** @param {readonly string[]} queues the names of the queues that are consumed */
  constructor(queues) {
    this.#queues = new Set(queues);
  }

  /** How many messages SQS took and no client deleted yet. */
  get backlog() {
    return this.#accepted - this.deleted;
  }

  /**
   * A request arrived at the proxy.
   *
   * @param {string} client
   * @param {string} operation
   * @param {Input} input
   * @param {number} sentAt
   * @param {boolean} [isCopy]
   * @returns {Exchange}
   */
  begin(client, operation, input, sentAt, isCopy = false) {
    /** @type {Exchange} */
    const exchange = { client, operation, input, sentAt, settles: new Map() };
    if (!/^(Delete|Change)Message/.test(operation)) return exchange;
    for (const entry of entriesOf(input)) {
      const delivery = this.#deliveries.get(entry.ReceiptHandle ?? "");
      if (delivery === undefined) continue;
      const settle = {
        delivery,
        client,
        seconds: operation.startsWith("Delete") ? undefined : (entry.VisibilityTimeout ?? 0),
        sentAt,
        at: undefined,
        confirmedAt: undefined,
        isCopy,
      };
      delivery.message.settles.push(settle);
      exchange.settles.set(entry.Id ?? ONLY, settle);
    }
    return exchange;
  }

  /**
   * SQS applied it, or as much of it as the answer says.
   *
   * @param {Exchange} exchange
   * @param {Output} output
   * @param {number} at
   */
  apply(exchange, output, at) {
    const { operation, input, settles } = exchange;
    if (operation === "ReceiveMessage") this.#deliver(exchange, output.Messages ?? [], at);
    for (const done of doneOf(input, output)) {
      const settle = settles.get(done.Id ?? ONLY);
      if (settle !== undefined) settle.at ??= at;
      if (operation.startsWith("SendMessage")) this.#take(input, done, at);
    }
  }

  /**
   * The client was answered.
   *
   * @param {Exchange} exchange
   * @param {Output} output what it was told
   * @param {number} at
   */
  confirm({ input, settles }, output, at) {
    for (const done of doneOf(input, output)) {
      const settle = settles.get(done.Id ?? ONLY);
      if (settle === undefined) continue;
      settle.confirmedAt = at;
      if (settle.seconds !== undefined || this.#deleted.has(settle.delivery.message)) continue;
      this.#deleted.add(settle.delivery.message);
      this.deleted += 1;
    }
  }

  /**
   * @param {Exchange} exchange
   * @param {readonly Received[]} received
   * @param {number} at
   */
  #deliver({ client, input }, received, at) {
    if (!this.#queues.has(queueOf(input))) return;
    for (const { MessageId: id = "", ReceiptHandle: handle = "", Attributes = {} } of received) {
      const message = this.#message(id, queueOf(input));
      const delivery = {
        message,
        count: Number(Attributes.ApproximateReceiveCount),
        client,
        at,
        timeoutMs: (input.VisibilityTimeout ?? 30) * 1000,
      };
      message.deliveries.push(delivery);
      this.#deliveries.set(handle, delivery);
    }
  }

  /**
   * @param {Input} input
   * @param {Done} done
   * @param {number} at
   */
  #take(input, done, at) {
    const entry = entriesOf(input).find(({ Id }) => Id === done.Id);
    const envelope = entry?.MessageAttributes?.["bq-message-id"]?.StringValue;
    const queue = queueOf(input);
    if (!this.#queues.has(queue)) {
      if (envelope !== undefined && !this.copies.has(envelope)) this.copies.set(envelope, at);
      return;
    }
    const message = this.#message(done.MessageId ?? "", queue);
    if (message.envelope === undefined) this.#accepted += 1;
    message.envelope = envelope;
    message.group = entry?.MessageGroupId;
    message.sequence = done.SequenceNumber;
  }

  /**
   * The answer to a receive may overtake the one to the send.
   *
   * @param {string} id
   * @param {string} queue
   */
  #message(id, queue) {
    const known = this.messages.get(id);
    if (known !== undefined) return known;
    /** @type {Message} */
    const message = {
      id,
      queue,
      envelope: undefined,
      group: undefined,
      sequence: undefined,
      deliveries: [],
      settles: [],
    };
    this.messages.set(id, message);
    return message;
  }
}

/**
 * The entries of a batch, or the request itself.
 *
 * @param {Input} input
 * @returns {readonly Entry[]}
 */
function entriesOf(input) {
  return input.Entries ?? [input];
}

/**
 * What was done, by an answer that is no error.
 *
 * @param {Input} input
 * @param {Output} output
 * @returns {readonly Done[]}
 */
function doneOf(input, output) {
  return input.Entries === undefined ? [output] : (output.Successful ?? []);
}

/** @param {Input} input */
export function queueOf({ QueueUrl = "" }) {
  return QueueUrl.slice(QueueUrl.lastIndexOf("/") + 1);
}

/** The place of a message in its FIFO queue, to be compared as text. @param {Message} message */
export function sequenceOf({ sequence = "" }) {
  return sequence.padStart(20, "0");
}
