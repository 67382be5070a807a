import type { Message } from "@aws-sdk/client-sqs";

/** SQS holds a message no longer than this from its receive, however often it is extended. */
const MAX_HOLD_MS = 43_200_000;
const SPARE_MS = 2000;

/** What the deliveries of one message that are in hand have in common. */
export interface Claim {
  /** Of the newest delivery: SQS may take an older one and do nothing. */
  receiptHandle: string;
  /** It was handled; a delivery that has not begun is only to be deleted. */
  isFinished: boolean;
  deliveries: number;
}

/** When the receive that brought a message was sent and answered, in ms. */
export interface Times {
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** One delivery in hand: received, and not settled yet. */
export class Held {
  readonly message: Message;
  readonly claim: Claim;
  readonly receiptHandle: string;
  /** When it was asked for, in ms: SQS's 12 hours begin no sooner. */
  readonly #askedAt: number;
  /** When it becomes visible to others, in ms; Infinity where the timeout is not known. */
  lapsesAt: number;
  /** The consumer stopped before the handler ended: whatever comes of it is nobody's business. */
  isAbandoned = false;
  #isLost = false;
  /** Made on demand: few handlers look at their signal, and one costs as much as a delivery. */
  #controller: AbortController | undefined;
  #abortReason: Error | undefined;

  constructor(
    message: Message,
    claim: Claim,
    { askedAt, answeredAt }: Times,
    timeoutSeconds: number | undefined,
  ) {
    this.message = message;
    this.claim = claim;
    this.receiptHandle = claim.receiptHandle;
    this.#askedAt = askedAt;
    this.lapsesAt = timeoutSeconds ? answeredAt + timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
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
    const { receiptHandle, isFinished } = this.claim;
    return this.#isLost || isFinished || receiptHandle !== this.receiptHandle;
  }

  /** How long SQS would still hold it, in whole seconds, with time to spare for a slow request. */
  get remainingSeconds(): number {
    return Math.max(0, Math.floor((this.#askedAt + MAX_HOLD_MS - SPARE_MS - Date.now()) / 1000));
  }

  abort(reason: Error): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
  }

  lose(reason: Error): void {
    this.#isLost = true;
    this.abort(reason);
  }
}

/** The claims on the messages in hand, by SQS message id. */
export class Claims {
  readonly #claims = new Map<string, Claim>();

  /** A new delivery of a message: one in hand already takes its receipt handle over. */
  take({ MessageId: id = "", ReceiptHandle: receiptHandle = "" }: Message): Claim {
    const known = this.#claims.get(id);
    if (known !== undefined) {
      known.receiptHandle = receiptHandle;
      known.deliveries += 1;
      return known;
    }
    const claim = { receiptHandle, isFinished: false, deliveries: 1 };
    this.#claims.set(id, claim);
    return claim;
  }

  /** A delivery is settled. */
  drop({ message: { MessageId: id = "" }, claim }: Held): void {
    claim.deliveries -= 1;
    if (claim.deliveries === 0) this.#claims.delete(id);
  }
}
