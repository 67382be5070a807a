import {
  deliveryKey,
  type Evidence,
  type Instance,
  type Publication,
  type Run,
} from "./evidence.js";
import type { Delivery, Message, Settle } from "./history.js";

/** A history that a test makes up, step by step; times are in ms. */
export class Made {
  readonly messages: Map<string, Message> = new Map();
  readonly copies: Map<string, number> = new Map();
  readonly dead = { messages: new Set<string>(), envelopes: new Set<string>() };
  readonly publications: Publication[] = [];
  readonly runs: Map<string, Run[]> = new Map();
  readonly received: Map<string, number> = new Map();
  readonly failedDeletes: Map<string, number[]> = new Map();
  readonly instances: Instance[] = [];
  depth = 0;

  /** SQS took a message; with a number it is one of a FIFO group. */
  message(id: string, number?: number): Message {
    const message: Message = {
      id,
      queue: number === undefined ? "soak" : "soak.fifo",
      envelope: `envelope of ${id}`,
      group: number === undefined ? undefined : "group",
      sequence: number === undefined ? undefined : String(number),
      deliveries: [],
      settles: [],
    };
    this.messages.set(id, message);
    return message;
  }

  /** It was delivered for 2 s, and arrived at once. */
  delivery(message: Message, client: string, at: number): Delivery {
    const count = message.deliveries.length + 1;
    const delivery: Delivery = { message, count, client, at, timeoutMs: 2000 };
    message.deliveries.push(delivery);
    this.received.set(deliveryKey(client, message.id, count), at);
    return delivery;
  }

  run({ message, client, count }: Delivery, startedAt: number, isSuccess = true): Run {
    const runs = this.runs.get(message.id) ?? [];
    this.runs.set(message.id, runs);
    const run: Run = {
      client,
      count,
      startedAt,
      endedAt: startedAt + 10,
      isSuccess,
      abortedAt: undefined,
      isAbandoned: false,
    };
    runs.push(run);
    return run;
  }

  /** A delete, or with seconds a visibility change, that was applied and confirmed. */
  settle(delivery: Delivery, sentAt: number, seconds?: number): Settle {
    const settle: Settle = {
      delivery,
      client: delivery.client,
      seconds,
      sentAt,
      at: sentAt + 1,
      confirmedAt: sentAt + 2,
      isCopy: false,
    };
    delivery.message.settles.push(settle);
    return settle;
  }

  published({ envelope = "", group }: Message, firstCall: number, confirmedCall?: number): void {
    this.publications.push({ envelope, group, firstCall, confirmedCall });
  }

  ended(client: string, end: Instance["end"], stoppedAt?: number): void {
    this.instances.push({ client, end, stoppedAt, detail: "", endedAt: stoppedAt ?? 0 });
  }

  /** A message that was published, handled and deleted as it should be. */
  handled(id: string, at: number, number?: number): Message {
    const message = this.message(id, number);
    const delivery = this.delivery(message, "a", at);
    this.run(delivery, at + 10);
    this.settle(delivery, at + 30);
    return message;
  }

  get evidence(): Evidence {
    const { messages, copies, dead, publications, runs, received, instances, depth } = this;
    const { failedDeletes } = this;
    return {
      messages,
      copies,
      deadLetters: dead,
      publications: [publications],
      runs,
      received,
      failedDeletes,
      instances,
      reports: {},
      depth,
      failures: [],
    };
  }
}
