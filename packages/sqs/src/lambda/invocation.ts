import type { Message } from "@aws-sdk/client-sqs";
import type { Consume, Outcome, ReportHooks } from "@babelqueue/core";
import { Hooks } from "../consume/hooks.js";
import { type Ending, endingOf, type Fate, Groups } from "../delivery/groups.js";
import { Held } from "../delivery/hold.js";
import { HandlerUnfinishedError } from "../errors.js";
import type { SqsClient } from "../requests/client.js";
import { toDelivery } from "../wire/incoming.js";
import type { Queue } from "../wire/queue.js";
import { Deadline } from "./deadline.js";
import { type LambdaContext, type SqsBatchResponse, type SqsRecord, toMessage } from "./event.js";
import { type QueueUrlOption, queueOfArn } from "./queue-of-arn.js";
import { LambdaSettler } from "./settle.js";

/** The longest that Lambda gathers a batch: so long ago a message may have been received. */
const MAX_BATCHING_WINDOW_MS = 300_000;

export interface InvocationOptions {
  readonly consume: Consume<Message>;
  readonly client: SqsClient | undefined;
  readonly deadLetterQueue: Queue | undefined;
  readonly queueUrl: QueueUrlOption;
  readonly hooks: ReportHooks<Message>;
}

/** The records of one queue. */
interface Source {
  readonly queue: Queue;
  readonly groups: Groups;
}

/** One invocation of the function. Nothing of it is remembered in the next. */
export class Invocation {
  readonly #options: InvocationOptions;
  readonly #hooks: Hooks<Message>;
  readonly #deadline: Deadline;
  readonly #settler: LambdaSettler;
  readonly #sources = new Map<unknown, Source>();
  readonly #running = new Set<Held>();
  /** The ids of the messages that are to come back. */
  readonly #failed = new Set<string>();
  readonly #startedAt: number = Date.now();

  constructor(context: LambdaContext | undefined, options: InvocationOptions) {
    const { client, deadLetterQueue, hooks } = options;
    this.#options = options;
    this.#hooks = new Hooks(hooks);
    this.#deadline = new Deadline(context, () => this.#abort());
    this.#settler = new LambdaSettler({
      client,
      deadLetterQueue,
      deadline: this.#deadline,
      reporter: this.#hooks,
    });
  }

  /** Never rejects. Resolves in time, whatever the handlers do. */
  async handle(records: readonly SqsRecord[]): Promise<SqsBatchResponse> {
    await Promise.all(records.map((record) => this.#accept(record)));
    this.#deadline.clear();
    await this.#deadline.linger(this.#hooks.idle());
    const ids = new Set(records.map(({ messageId }) => messageId));
    return {
      batchItemFailures: [...ids]
        .filter((id) => this.#failed.has(id))
        .map((itemIdentifier) => ({ itemIdentifier })),
    };
  }

  /** Resolves when it is known whether the message is to come back. */
  #accept(record: SqsRecord): Promise<unknown> {
    const { queue, groups } = this.#sourceOf(record);
    const held = this.#hold(record);
    if (!queue.fifo) return this.#start(held, queue).then(({ settled }) => settled);
    return new Promise((resolve) => {
      groups.add(held.message.Attributes?.MessageGroupId ?? "", {
        start: async () => {
          const ending = await this.#start(held, queue);
          void ending.settled.then(resolve);
          return ending;
        },
        suffer: async (fate) => {
          await this.#settle(held, queue, { ...fate, envelope: null });
          resolve(undefined);
        },
      });
    });
  }

  #sourceOf({ eventSourceARN: arn }: SqsRecord): Source {
    const known = this.#sources.get(arn);
    if (known !== undefined) return known;
    const source = { queue: queueOfArn(arn, this.#options.queueUrl), groups: new Groups() };
    this.#sources.set(arn, source);
    return source;
  }

  #hold(record: SqsRecord): Held {
    const message = toMessage(record);
    const { ReceiptHandle: receiptHandle = "" } = message;
    const claim = { receiptHandle, isFinished: false, deliveries: 1 };
    const askedAt = this.#startedAt - MAX_BATCHING_WINDOW_MS;
    return new Held(message, claim, { askedAt, answeredAt: askedAt }, undefined);
  }

  async #start(held: Held, queue: Queue): Promise<Ending> {
    const outcome = await this.#outcomeOf(held, queue);
    return endingOf(outcome, this.#settle(held, queue, outcome));
  }

  /** Of a handler that does not end in time: left. */
  async #outcomeOf(held: Held, queue: Queue): Promise<Outcome> {
    const left: Outcome = { kind: "leave", envelope: null };
    if (this.#deadline.isPassed) return left;
    this.#running.add(held);
    const handled = this.#options.consume(toDelivery(held.message, queue, held));
    const outcome = await this.#deadline.inTime(handled);
    this.#running.delete(held);
    if (outcome !== undefined) return outcome;
    const error = new HandlerUnfinishedError(queue.name, "invocation");
    void this.#hooks.error(error, null, held.message);
    return left;
  }

  async #settle(held: Held, queue: Queue, outcome: Outcome): Promise<Fate | null> {
    const fate = await this.#settler.settle(held, queue, outcome);
    if (fate !== null) this.#failed.add(held.message.MessageId ?? "");
    return fate;
  }

  #abort(): void {
    const reason = new Error("The Lambda invocation has less than a second left");
    for (const held of this.#running) held.abort(reason);
  }
}
