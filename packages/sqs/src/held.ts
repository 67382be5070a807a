import type { Message } from "@aws-sdk/client-sqs";

/** SQS holds a message no longer than this from its receive, however often it is extended. */
export const MAX_HOLD_MS = 43_200_000;

/** What the deliveries of one message that are in hand have in common. */
export interface Claim {
  /** Of the newest delivery: SQS may take an older one and do nothing. */
  receiptHandle: string;
  /** It was handled; a delivery that has not begun is only to be deleted. */
  isFinished: boolean;
  deliveries: number;
}

/** One delivery in hand: received, and not settled yet. */
export class Held {
  readonly message: Message;
  readonly claim: Claim;
  readonly receiptHandle: string;
  /** When it was received, in ms. */
  readonly receivedAt: number;
  /** When it becomes visible to others, in ms; Infinity where the timeout is not known. */
  lapsesAt: number;
  /** The consumer stopped before the handler ended: whatever comes of it is nobody's business. */
  isAbandoned = false;
  readonly #controller = new AbortController();

  constructor(
    message: Message,
    claim: Claim,
    receivedAt: number,
    timeoutSeconds: number | undefined,
  ) {
    this.message = message;
    this.claim = claim;
    this.receiptHandle = claim.receiptHandle;
    this.receivedAt = receivedAt;
    this.lapsesAt = timeoutSeconds ? receivedAt + timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
  }

  /** Aborted when the hold is lost. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Somebody else may have received it, or this consumer has again: there is nothing to release. */
  get isLost(): boolean {
    return this.signal.aborted || this.claim.receiptHandle !== this.receiptHandle;
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** How long SQS would still hold it, in whole seconds. */
  get remainingSeconds(): number {
    return Math.max(0, Math.floor((this.receivedAt + MAX_HOLD_MS - Date.now()) / 1000));
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
