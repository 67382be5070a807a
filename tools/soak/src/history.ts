import type { MessageAttributeValue, Message as Received } from "@aws-sdk/client-sqs";

// What the proxy saw, message by message. Times are those of now(); `at` is when SQS applied it.

/** A message handed out by a receive. */
export interface Delivery {
  message: Message;
  /** Its `ApproximateReceiveCount`, which tells the deliveries of a message apart. */
  count: number;
  /** Who asked. */
  client: string;
  at: number;
  timeoutMs: number;
}

/** A delete or a visibility change, as a client sent it. */
export interface Settle {
  delivery: Delivery;
  client: string;
  /** Of a visibility change; undefined for a delete. */
  seconds: number | undefined;
  sentAt: number;
  /** Undefined where SQS refused it, or never saw it. */
  at: number | undefined;
  /** When the client was answered that it was done. */
  confirmedAt: number | undefined;
  /** The network made it, not the client. */
  isCopy: boolean;
}

export interface Message {
  /** SQS's own. */
  id: string;
  queue: string;
  /** Its `meta.id`. */
  envelope: string | undefined;
  group: string | undefined;
  /** SQS's number of it in a FIFO queue. */
  sequence: string | undefined;
  deliveries: Delivery[];
  settles: Settle[];
}

/** One request, as it reached the proxy. */
export interface Exchange {
  client: string;
  operation: string;
  input: Input;
  sentAt: number;
  /** By entry id. */
  settles: Map<string, Settle>;
}

/** An entry of a batch, or a request for one message. */
interface Entry {
  Id?: string;
  ReceiptHandle?: string;
  VisibilityTimeout?: number;
  MessageGroupId?: string;
  MessageAttributes?: Record<string, MessageAttributeValue>;
}

export type Input = Entry & { QueueUrl?: string; Entries?: Entry[] };

/** An entry of an answer, or the answer itself. */
interface Done {
  Id?: string;
  MessageId?: string;
  SequenceNumber?: string;
}

export interface Failed {
  Id: string;
  Code: string;
  SenderFault: boolean;
  Message?: string;
}

export type Output = Done & { Successful?: Done[]; Failed?: Failed[]; Messages?: Received[] };

/** The id of the only entry of a request that is no batch. */
const ONLY = "only";

/** Everything that happened between the clients and SQS. */
export class History {
  messages = new Map<string, Message>();
  /** When a copy of an envelope was first written to a dead-letter queue, by `meta.id`. */
  copies = new Map<string, number>();
  /** Messages whose delete a client was told of. */
  deleted = 0;
  #accepted = 0;
  #deliveries = new Map<string, Delivery>();
  #queues: Set<string>;
  #deleted = new Set<Message>();

  /** @param queues the names of the queues that are consumed */
  constructor(queues: readonly string[]) {
    this.#queues = new Set(queues);
  }

  /** How many messages SQS took and no client deleted yet. */
  get backlog(): number {
    return this.#accepted - this.deleted;
  }

  /** A request arrived at the proxy. */
  begin(client: string, operation: string, input: Input, sentAt: number, isCopy = false): Exchange {
    const exchange: Exchange = { client, operation, input, sentAt, settles: new Map() };
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

  /** SQS applied it, or as much of it as the answer says. */
  apply(exchange: Exchange, output: Output, at: number): void {
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
   * @param output what it was told
   */
  confirm({ input, settles }: Exchange, output: Output, at: number): void {
    for (const done of doneOf(input, output)) {
      const settle = settles.get(done.Id ?? ONLY);
      if (settle === undefined) continue;
      settle.confirmedAt = at;
      if (settle.seconds !== undefined || this.#deleted.has(settle.delivery.message)) continue;
      this.#deleted.add(settle.delivery.message);
      this.deleted += 1;
    }
  }

  #deliver({ client, input }: Exchange, received: readonly Received[], at: number): void {
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

  #take(input: Input, done: Done, at: number): void {
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

  /** The answer to a receive may overtake the one to the send. */
  #message(id: string, queue: string): Message {
    const known = this.messages.get(id);
    if (known !== undefined) return known;
    const message: Message = {
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

/** The entries of a batch, or the request itself. */
function entriesOf(input: Input): readonly Entry[] {
  return input.Entries ?? [input];
}

/** What was done, by an answer that is no error. */
function doneOf(input: Input, output: Output): readonly Done[] {
  return input.Entries === undefined ? [output] : (output.Successful ?? []);
}

export function queueOf({ QueueUrl = "" }: Input): string {
  return QueueUrl.slice(QueueUrl.lastIndexOf("/") + 1);
}

/** The place of a message in its FIFO queue, to be compared as text. */
export function sequenceOf({ sequence = "" }: Message): string {
  return sequence.padStart(20, "0");
}
