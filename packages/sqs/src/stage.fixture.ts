import { randomUUID } from "node:crypto";
import type { Message, SQSClient } from "@aws-sdk/client-sqs";
import { createEnvelope, encodeEnvelope, type Handler } from "@babelqueue/core";
import {
  FakeSqs,
  type FakeSqsOptions,
  type OperationName,
  type Operations,
  type QueueAttributes,
  type RecordedRequest,
} from "fake-sqs";
import { after, newGate } from "./fake-clock.fixture.js";
import { SqsConsumer, type SqsConsumerOptions } from "./index.js";

export const URN = "urn:babel:orders:created";

/** One call of the handler, that ends when the test says so. */
export interface Call {
  readonly n: number;
  readonly message: Message;
  readonly attempts: number;
  readonly signal: AbortSignal;
  readonly succeed: () => void;
  readonly fail: (error?: Error) => void;
}

type Order = { readonly n: number };

/** A fake with one queue, and a handler whose calls the test ends one by one. */
export class Stage {
  readonly fake: FakeSqs;
  readonly client: SQSClient;
  readonly url: string;
  readonly calls: Call[] = [];
  /** What `onError` was told. */
  readonly errors: unknown[] = [];
  readonly warnings: string[] = [];

  constructor(name: string, attributes: QueueAttributes = {}, options: FakeSqsOptions = {}) {
    this.fake = new FakeSqs(options);
    this.client = this.fake.client();
    this.url = this.fake.createQueue(name, attributes);
  }

  /** A consumer whose handler waits for the test, unless another is given. */
  consumer(
    options: SqsConsumerOptions = {},
    handler: Handler<Order, Message> = this.handler,
  ): SqsConsumer {
    return new SqsConsumer(
      this.client,
      this.url,
      { [URN]: handler },
      {
        onError: (error) => void this.errors.push(error),
        onWarning: ({ code }) => void this.warnings.push(code),
        ...options,
      },
    );
  }

  readonly handler: Handler<Order, Message> = ({ data, attempts }, message, { signal }) =>
    new Promise<void>((resolve, reject) => {
      this.calls.push({
        n: data.n,
        message,
        attempts,
        signal,
        succeed: resolve,
        fail: (error = new Error(`${data.n} failed`)) => reject(error),
      });
    });

  /** The numbers of the calls so far. */
  get started(): number[] {
    return this.calls.map(({ n }) => n);
  }

  /** The latest call for a number. */
  call(n: number): Call {
    const call = [...this.calls].reverse().find((candidate) => candidate.n === n);
    if (call === undefined) throw new Error(`${n} was not started, only ${this.started.join()}`);
    return call;
  }

  /** Puts numbered messages into the queue; no request is remembered of it. */
  async seed(
    ns: readonly number[],
    groupOf?: (n: number) => string,
    urn: string = URN,
  ): Promise<void> {
    for (const n of ns) {
      const input = {
        QueueUrl: this.url,
        MessageBody: encodeEnvelope(createEnvelope(urn, { n })),
        ...(groupOf && { MessageGroupId: groupOf(n) }),
        ...(this.url.endsWith(".fifo") && { MessageDeduplicationId: randomUUID() }),
      };
      await this.fake.perform({ operation: "SendMessage", input });
    }
    this.fake.clearRequests();
  }

  /** The numbers in the queue, visible or not; `visible` or `hidden` ones only if told so. */
  left(which: "all" | "visible" | "hidden" = "all"): number[] {
    return this.fake
      .messages(this.url)
      .filter(({ inFlight }) => which === "all" || inFlight === (which === "hidden"))
      .map(({ body }) => numberOf(body));
  }

  /** Seconds until a message is visible; 0 if it is. */
  hiddenFor(n: number): number {
    const found = this.fake.messages(this.url).find(({ body }) => numberOf(body) === n);
    if (found === undefined) throw new Error(`${n} is not in the queue`);
    return Math.max(0, found.visibleAt - Date.now()) / 1000;
  }

  /** The requests of some operations. */
  requests<TName extends OperationName>(
    ...operations: TName[]
  ): (RecordedRequest & { readonly operation: TName; input: Operations[TName]["input"] })[] {
    return this.fake.requests.filter((request) =>
      (operations as OperationName[]).includes(request.operation),
    ) as ReturnType<typeof this.requests<TName>>;
  }

  /** How many messages each of the requests concerns, in order. */
  sizes(...operations: OperationName[]): number[] {
    return this.requests(...operations).map(({ input }) =>
      "Entries" in input ? (input.Entries?.length ?? 0) : 1,
    );
  }

  /** Each request (of some operations) takes so long; tells how many were under way at most. */
  slow(ms: number | (() => number), ...operations: OperationName[]): { most: number } {
    const underWay = { now: 0, most: 0 };
    this.fake.onRequest(async ({ operation }) => {
      if (operations.length > 0 && !operations.includes(operation)) return;
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      await after(typeof ms === "number" ? ms : ms());
      underWay.now -= 1;
    });
    return underWay;
  }

  /** Requests of some operations wait until the returned function is called. */
  hold(...operations: OperationName[]): () => void {
    const { gate, open } = newGate();
    this.fake.onRequest(({ operation }) => (operations.includes(operation) ? gate : undefined));
    return open;
  }
}

/** The number in a body that {@link Stage.seed}, or a publish of `{ n }`, wrote. */
export function numberOf(body: string): number {
  return (JSON.parse(body) as { data: Order }).data.n;
}

/** From 0 to n − 1. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

export const DELETES = ["DeleteMessage", "DeleteMessageBatch"] as const;
export const CHANGES = ["ChangeMessageVisibility", "ChangeMessageVisibilityBatch"] as const;
export const SENDS = ["SendMessage", "SendMessageBatch"] as const;

/** Entry faults: ours, and SQS's. */
export const OURS = { code: "InvalidParameterValue", senderFault: true } as const;
export const THEIRS = { code: "InternalError", senderFault: false } as const;
