import { type Message, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import type { ReceiveSettings } from "../consume/options.js";
import { SqsReceiveError } from "../errors.js";
import { resolvesWithin } from "../timers.js";
import type { Queue } from "../wire/queue.js";
import type { SqsClient } from "./client.js";
import { failureOf, REGION_MISSING } from "./result.js";

/** What no waiting mends: the queue is not there, or the credentials are refused. */
const HOPELESS = new Set([
  "QueueDoesNotExist",
  "NonExistentQueue",
  "InvalidAddress",
  "InvalidSecurity",
  "AccessDenied",
  "AccessDeniedException",
  "KmsAccessDenied",
  "CredentialsProviderError",
  "ExpiredToken",
  "ExpiredTokenException",
  "InvalidAccessKeyId",
  "InvalidClientTokenId",
  "InvalidSignatureException",
  "InvalidToken",
  "MissingAuthenticationToken",
  "OptInRequired",
  REGION_MISSING,
  "SignatureDoesNotMatch",
  "UnrecognizedClientException",
]);

export function isHopeless(error: unknown): boolean {
  return error instanceof SqsReceiveError && HOPELESS.has(error.code);
}

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 30_000;

/** How long to wait after so many failed receives in a row: exponential, with jitter. */
export function receiveBackoffMs(failures: number): number {
  const ceiling = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
  return ceiling * (0.8 + Math.random() * 0.2);
}

/** The receives under way on one queue. */
export class Receiver {
  readonly #client: SqsClient;
  readonly #queue: Queue;
  readonly #settings: ReceiveSettings;
  readonly #open = new Map<Promise<void>, AbortController>();

  constructor(client: SqsClient, queue: Queue, settings: ReceiveSettings) {
    this.#client = client;
    this.#queue = queue;
    this.#settings = settings;
  }

  /** How many receives are under way. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Receives and hands over at once. An abort is no failure: it brings nothing.
   *
   * @throws (rejects) {@link SqsReceiveError}
   */
  async receive<T>(
    max: number,
    signal: AbortSignal | undefined,
    take: (messages: readonly Message[]) => readonly T[],
  ): Promise<readonly T[]> {
    // a controller a receive: listeners would pile up on one that lives long
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort);
    const taken = this.#request(max, controller.signal).then((messages) =>
      messages === undefined ? [] : take(messages),
    );
    const done = taken.then(noop, noop);
    this.#open.set(done, controller);
    try {
      return await taken;
    } finally {
      this.#open.delete(done);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Lets the receives under way end by themselves for so many ms, then aborts them. */
  async end(graceMs: number): Promise<void> {
    const all = Promise.all(this.#open.keys());
    if (this.#open.size === 0 || (await resolvesWithin(all, graceMs))) return;
    for (const controller of this.#open.values()) controller.abort();
    await all;
  }

  async #request(
    MaxNumberOfMessages: number,
    abortSignal: AbortSignal,
  ): Promise<readonly Message[] | undefined> {
    const { waitTimeSeconds, visibilityTimeoutSeconds } = this.#settings;
    const command = new ReceiveMessageCommand({
      QueueUrl: this.#queue.url,
      MaxNumberOfMessages,
      WaitTimeSeconds: waitTimeSeconds,
      ...(visibilityTimeoutSeconds === undefined
        ? undefined
        : { VisibilityTimeout: visibilityTimeoutSeconds }),
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["ApproximateReceiveCount", "MessageGroupId"],
    });
    try {
      const { Messages = [] } = await this.#client.send(command, { abortSignal });
      return Messages;
    } catch (thrown) {
      if (abortSignal.aborted) return undefined;
      throw new SqsReceiveError(this.#queue.name, failureOf(thrown));
    }
  }
}

function noop(): void {
  // what became of it is told elsewhere
}
