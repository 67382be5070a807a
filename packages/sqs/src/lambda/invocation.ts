import type { Message } from "@aws-sdk/client-sqs";
import type { Consume, Outcome, ReportHooks } from "@babelqueue/core";
import { createReporter, type Reporter } from "@babelqueue/core/transport";
import { Groups } from "../delivery/groups.js";
import { Hold } from "../delivery/hold.js";
import { type Ending, endingOf, inheritanceOf } from "../delivery/inheritance.js";
import type { Settled } from "../delivery/settled.js";
import { Settler } from "../delivery/settler.js";
import { HandlerUnfinishedError } from "../errors.js";
import { endingWith, type SqsClient } from "../requests/client.js";
import { createSends, type Sends } from "../requests/send.js";
import { createVisibilityChanges } from "../requests/visibility.js";
import { toDelivery } from "../wire/incoming.js";
import type { Queue } from "../wire/queue.js";
import { Deadline } from "./deadline.js";
import { type LambdaContext, type SqsBatchResponse, type SqsRecord, toMessage } from "./event.js";
import { type QueueUrlOption, queueOfArn } from "./queue-of-arn.js";

/** The longest that Lambda gathers a batch: so long ago a message may have been received. */
const MAX_BATCHING_WINDOW_MS = 300_000;
const MAX_IN_FLIGHT = 10;

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
  readonly settler: Settler;
}

/** One invocation of the function. Nothing of it is remembered in the next. */
export class Invocation {
  readonly #options: InvocationOptions;
  readonly #reporter: Reporter<Message>;
  readonly #deadline: Deadline;
  /** Its requests end with the invocation. */
  readonly #client: SqsClient | undefined;
  readonly #deadLetterSends: Sends | undefined;
  readonly #sources = new Map<unknown, Source>();
  readonly #running = new Set<Hold>();
  /** The ids of the messages that are to come back. */
  readonly #failed = new Set<string>();
  readonly #startedAt: number = Date.now();

  constructor(context: LambdaContext | undefined, options: InvocationOptions) {
    const { client, deadLetterQueue: queue, hooks } = options;
    this.#options = options;
    this.#reporter = createReporter(hooks);
    this.#deadline = new Deadline(context, () => this.#abort());
    this.#client = client && endingWith(client, this.#deadline.signal);
    this.#deadLetterSends =
      this.#client &&
      queue &&
      createSends({ client: this.#client, queue, maxInFlight: MAX_IN_FLIGHT });
  }

  /** Never rejects. Resolves in time, whatever the handlers do. */
  async handle(records: readonly SqsRecord[]): Promise<SqsBatchResponse> {
    await Promise.all(records.map((record) => this.#accept(record)));
    this.#deadline.clear();
    await this.#deadline.linger(this.#reporter.idle());
    const ids = new Set(records.map(({ messageId }) => messageId));
    return {
      batchItemFailures: [...ids]
        .filter((id) => this.#failed.has(id))
        .map((itemIdentifier) => ({ itemIdentifier })),
    };
  }

  /** Resolves when it is known whether the message is to come back. */
  #accept(record: SqsRecord): Promise<unknown> {
    const source = this.#sourceOf(record);
    const askedAt = this.#startedAt - MAX_BATCHING_WINDOW_MS;
    const hold = new Hold(toMessage(record), { askedAt, answeredAt: askedAt });
    if (!source.queue.fifo) return this.#start(hold, source).then(({ settled }) => settled);
    return new Promise((resolve) => {
      source.groups.add(hold.message.Attributes?.MessageGroupId ?? "", {
        start: async () => {
          const ending = await this.#start(hold, source);
          void ending.settled.then(resolve);
          return ending;
        },
        inherit: async (inheritance) => {
          await this.#settle(hold, source, { ...inheritance, envelope: null });
          resolve(undefined);
        },
      });
    });
  }

  #sourceOf({ eventSourceARN: arn }: SqsRecord): Source {
    const known = this.#sources.get(arn);
    if (known !== undefined) return known;
    const queue = queueOfArn(arn, this.#options.queueUrl);
    const source = { queue, groups: new Groups(), settler: this.#settlerOf(queue) };
    this.#sources.set(arn, source);
    return source;
  }

  /** It deletes nothing: Lambda deletes what is not reported, and what is reported comes back. */
  #settlerOf(queue: Queue): Settler {
    const { deadLetterQueue } = this.#options;
    const client = this.#client;
    const sends = this.#deadLetterSends;
    return new Settler({
      queue,
      reporter: this.#reporter,
      releases: client && createVisibilityChanges({ client, queue, maxInFlight: MAX_IN_FLIGHT }),
      deadLetters: deadLetterQueue && sends && { queue: deadLetterQueue, sends },
      inTime: (request) => this.#deadline.answered(request),
    });
  }

  async #start(hold: Hold, source: Source): Promise<Ending> {
    const outcome = await this.#outcomeOf(hold, source.queue);
    return endingOf(outcome, this.#settle(hold, source, outcome));
  }

  /** Of a handler that does not end in time: left. */
  async #outcomeOf(hold: Hold, queue: Queue): Promise<Outcome> {
    const left: Outcome = { kind: "leave", envelope: null };
    if (this.#deadline.isPassed) return left;
    this.#running.add(hold);
    const handled = this.#options.consume(toDelivery(hold.message, queue, hold));
    const outcome = await this.#deadline.inTime(handled);
    this.#running.delete(hold);
    if (outcome !== undefined) return outcome;
    const error = new HandlerUnfinishedError(queue.name, "invocation");
    void this.#reporter.error(error, null, hold.message);
    return left;
  }

  async #settle(hold: Hold, { settler }: Source, outcome: Outcome): Promise<Settled> {
    const settled = await settler.settle(hold, outcome);
    if (inheritanceOf(settled) !== null) this.#failed.add(hold.message.MessageId ?? "");
    return settled;
  }

  #abort(): void {
    const reason = new Error("The Lambda invocation has less than a second left");
    for (const hold of this.#running) hold.abort(reason);
  }
}
