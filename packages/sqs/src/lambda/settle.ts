import type { Message } from "@aws-sdk/client-sqs";
import type { DeadLetterWrite, Outcome, Release, Reporter } from "@babelqueue/core";
import type { Fate } from "../delivery/groups.js";
import type { Held } from "../delivery/hold.js";
import { SqsDeadLetterError, SqsReleaseError } from "../errors.js";
import type { Batcher } from "../requests/batcher.js";
import type { SqsClient } from "../requests/client.js";
import { type EntryResult, failedWhole } from "../requests/result.js";
import { createSendBatcher, type SendBatcher } from "../requests/send.js";
import { createVisibilityBatcher, type VisibilityChange } from "../requests/settle-requests.js";
import { toDeadLetterEntry } from "../wire/outgoing.js";
import type { Queue } from "../wire/queue.js";
import type { Deadline } from "./deadline.js";

const MAX_IN_FLIGHT = 10;
const LEAVE: Fate = { kind: "leave" };

export interface LambdaSettlerOptions {
  readonly client: SqsClient | undefined;
  readonly deadLetterQueue: Queue | undefined;
  readonly deadline: Deadline;
  readonly reporter: Reporter<Message>;
}

/**
 * Carries outcomes out as far as Lambda does not: it deletes what is not reported, and what is
 * reported comes back. Requests share batches where they coincide. What fails is reported.
 */
export class LambdaSettler {
  readonly #options: LambdaSettlerOptions;
  readonly #client: SqsClient | undefined;
  readonly #releases = new Map<Queue, Batcher<VisibilityChange, void>>();
  readonly #deadLetters: SendBatcher | undefined;

  constructor(options: LambdaSettlerOptions) {
    const { client, deadLetterQueue, deadline } = options;
    this.#options = options;
    this.#client = client && deadline.bound(client);
    this.#deadLetters =
      this.#client &&
      deadLetterQueue &&
      createSendBatcher(this.#client, deadLetterQueue, { maxInFlight: MAX_IN_FLIGHT });
  }

  /**
   * Never rejects. Resolves with null where Lambda may delete the message; or else with what became
   * of it, which the followers in its message group meet, too.
   */
  async settle(held: Held, queue: Queue, outcome: Outcome): Promise<Fate | null> {
    switch (outcome.kind) {
      case "ack":
      case "drop":
        return null;
      case "release":
        return this.#release(held, queue, outcome);
      case "leave":
        return LEAVE;
      case "dead-letter":
        return this.#deadLetter(held, queue, outcome);
    }
  }

  async #release(held: Held, queue: Queue, { delaySeconds, envelope }: Release): Promise<Fate> {
    const { deadline, reporter } = this.#options;
    const client = this.#client;
    if (client === undefined) return { kind: "release", delaySeconds };
    const result = await deadline.inTime(
      attempt(() => this.#releasesOf(client, queue).add({ held, seconds: delaySeconds })),
    );
    if (result?.ok === true) return { kind: "release", delaySeconds };
    const { failure } = result ?? LATE;
    void reporter.error(new SqsReleaseError(queue.name, failure), envelope, held.message);
    return LEAVE;
  }

  async #deadLetter(held: Held, queue: Queue, outcome: DeadLetterWrite): Promise<Fate | null> {
    const { deadLetterQueue, deadline, reporter } = this.#options;
    const deadLetters = this.#deadLetters;
    if (deadLetterQueue === undefined || deadLetters === undefined) return LEAVE;
    const { message } = held;
    const result = await deadline.inTime(
      attempt(() =>
        deadLetters.add(
          toDeadLetterEntry(outcome, message, queue, deadLetterQueue, reporter.warning),
        ),
      ),
    );
    if (result?.ok === true) return null;
    const { failure } = result ?? LATE;
    const error = new SqsDeadLetterError(deadLetterQueue.name, failure);
    void reporter.error(error, outcome.envelope, message);
    return LEAVE;
  }

  #releasesOf(client: SqsClient, queue: Queue): Batcher<VisibilityChange, void> {
    const known = this.#releases.get(queue);
    if (known !== undefined) return known;
    const options = { client, queueUrl: queue.url, maxInFlight: MAX_IN_FLIGHT };
    const batcher = createVisibilityBatcher(options);
    this.#releases.set(queue, batcher);
    return batcher;
  }
}

/** What keeps a request from being made is a failure of the request. */
async function attempt<T>(request: () => Promise<EntryResult<T>>): Promise<EntryResult<T>> {
  try {
    return await request();
  } catch (thrown) {
    return failedWhole(1, thrown)[0] ?? LATE;
  }
}

const LATE = {
  ok: false,
  failure: {
    code: "NoAnswer",
    senderFault: false,
    cause: new Error("SQS did not answer before the Lambda invocation ran out of time"),
  },
} as const;
