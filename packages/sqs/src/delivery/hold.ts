import type { Message } from "@aws-sdk/client-sqs";
import type { VisibilityChange } from "../requests/visibility.js";

/** SQS holds a message no longer than this from its receive, however often it is extended. */
const MAX_HOLD_MS = 43_200_000;
const SPARE_MS = 2000;

/** What the holds on one message have in common. */
interface Shared {
  /** Of the newest delivery: SQS may take an older one and do nothing. */
  receiptHandle: string;
  /** It was handled; a delivery that has not begun is only to be deleted. */
  isHandled: boolean;
  holds: number;
}

/** When the receive that brought a message was sent and answered, in ms. */
export interface Times {
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** Our right to one delivery of a message, until its visibility timeout lapses. */
export class Hold {
  readonly message: Message;
  readonly #shared: Shared;
  readonly #receiptHandle: string;
  /** When it was asked for, in ms: SQS's 12 hours begin no sooner. */
  readonly #askedAt: number;
  /** When it becomes visible to others, in ms; Infinity where the timeout is not known. */
  #lapsesAt: number;
  #isAbandoned = false;
  #isLost = false;
  /** Made on demand: few handlers look at their signal, and one costs as much as a delivery. */
  #controller: AbortController | undefined;
  #abortReason: Error | undefined;

  constructor(
    message: Message,
    { askedAt, answeredAt }: Times,
    timeoutSeconds?: number,
    shared: Shared = newShared(message),
  ) {
    this.message = message;
    this.#shared = shared;
    this.#receiptHandle = shared.receiptHandle;
    this.#askedAt = askedAt;
    this.#lapsesAt = timeoutSeconds ? answeredAt + timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
  }

  /** Aborted when the hold is lost, or about to be by a shutdown. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /** It is no longer ours to make visible: somebody else may have it, or it was finished. */
  get isLost(): boolean {
    const { receiptHandle, isHandled } = this.#shared;
    return this.#isLost || isHandled || receiptHandle !== this.#receiptHandle;
  }

  /** It was handled, by this delivery or by another one. */
  get isHandled(): boolean {
    return this.#shared.isHandled;
  }

  /** The consumer stopped before the handler ended: whatever comes of it is nobody's business. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** In ms from now; Infinity where the timeout is not known. */
  get lapsesInMs(): number {
    return this.#lapsesAt - Date.now();
  }

  /** How long SQS would still hold it, in whole seconds, with time to spare for a slow request. */
  get remainingSeconds(): number {
    return Math.max(0, Math.floor((this.#askedAt + MAX_HOLD_MS - SPARE_MS - Date.now()) / 1000));
  }

  /** To delete by: an older handle may do nothing. */
  get newestHandle(): string {
    return this.#shared.receiptHandle;
  }

  /** The change that hides this very delivery for so long; undefined once the hold is lost. */
  hiddenFor(seconds: number): VisibilityChange | undefined {
    if (this.isLost) return undefined;
    return {
      receiptHandle: this.#receiptHandle,
      seconds: Math.min(seconds, this.remainingSeconds),
    };
  }

  /** SQS has extended it, by a request of that time. */
  extend(sentAt: number, seconds: number): void {
    this.#lapsesAt = sentAt + seconds * 1000;
  }

  markHandled(): void {
    this.#shared.isHandled = true;
  }

  abort(reason: Error): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
  }

  lose(reason: Error): void {
    this.#isLost = true;
    this.abort(reason);
  }

  abandon(): void {
    this.#isAbandoned = true;
  }
}

/** The holds that are in our hands, by SQS message id. */
export class Holds {
  readonly #shared = new Map<string, Shared>();

  /** A new delivery of a message: what the others share takes its receipt handle over. */
  take(message: Message, times: Times, timeoutSeconds: number | undefined): Hold {
    const { MessageId: id = "" } = message;
    const fresh = newShared(message);
    const shared = this.#shared.get(id) ?? fresh;
    shared.receiptHandle = fresh.receiptHandle;
    shared.holds += 1;
    this.#shared.set(id, shared);
    return new Hold(message, times, timeoutSeconds, shared);
  }

  /** It is settled. */
  drop({ message: { MessageId: id = "" } }: Hold): void {
    const shared = this.#shared.get(id);
    if (shared === undefined) return;
    shared.holds -= 1;
    if (shared.holds === 0) this.#shared.delete(id);
  }
}

function newShared({ ReceiptHandle: receiptHandle = "" }: Message): Shared {
  return { receiptHandle, isHandled: false, holds: 0 };
}
