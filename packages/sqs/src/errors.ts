import { BabelQueueError } from "@babelqueue/core";

/** Why SQS did not do what it was asked, in one shape for a request and for an entry of a batch. */
export interface FailedRequest {
  /** The name that AWS gives the error, such as `InvalidMessageContents`; or the system's, `ECONNREFUSED`. */
  readonly code: string;
  /** It was our request's fault: trying the same again is no use. */
  readonly senderFault: boolean;
  /** What the SDK threw, or an Error with what SQS said of the entry. */
  readonly cause: unknown;
}

/** What all failures of an SQS request have in common. */
export abstract class SqsRequestError extends BabelQueueError {
  protected static override readonly kind: string = "SqsRequestError";

  /** The name that AWS gives the error, such as `QueueDoesNotExist`. */
  readonly code: string;
  /** It was the request's own fault: trying the same again is no use. */
  readonly senderFault: boolean;

  protected constructor(message: string, { code, senderFault, cause }: FailedRequest) {
    super(message, { cause });
    this.code = code;
    this.senderFault = senderFault;
  }
}

/** SQS did not take a message. The same, whether it went alone or in a batch. */
export class SqsSendError extends SqsRequestError {
  protected static override readonly kind: string = "SqsSendError";

  constructor(queue: string, failed: FailedRequest) {
    const advice = failed.senderFault
      ? "sending the same again is no use; see cause"
      : "it may be published again; see cause";
    super(`SQS did not take a message for queue ${queue} (${failed.code}): ${advice}.`, failed);
  }
}

/** Receiving failed. The consumer goes on with backoff, unless it was the very first receive. */
export class SqsReceiveError extends SqsRequestError {
  protected static override readonly kind: string = "SqsReceiveError";

  constructor(queue: string, failed: FailedRequest) {
    super(`Could not receive from queue ${queue} (${failed.code}); see cause.`, failed);
  }
}

/** A message that was handled could not be deleted, so it will be delivered again. */
export class SqsDeleteError extends SqsRequestError {
  protected static override readonly kind: string = "SqsDeleteError";

  constructor(queue: string, failed: FailedRequest) {
    super(
      `Could not delete a finished message from queue ${queue} (${failed.code}); ` +
        "it comes back when its visibility timeout lapses. See cause.",
      failed,
    );
  }
}

/** A message could not be released; it comes back when its visibility timeout lapses. */
export class SqsReleaseError extends SqsRequestError {
  protected static override readonly kind: string = "SqsReleaseError";

  constructor(queue: string, failed: FailedRequest) {
    super(
      `Could not release a message to queue ${queue} (${failed.code}); ` +
        "it comes back when its visibility timeout lapses. See cause.",
      failed,
    );
  }
}

/** The dead-letter queue did not take a message; the original stays, and the write is tried again. */
export class SqsDeadLetterError extends SqsRequestError {
  protected static override readonly kind: string = "SqsDeadLetterError";

  constructor(queue: string, failed: FailedRequest) {
    super(
      `Could not write a message to the dead-letter queue ${queue} (${failed.code}); the original ` +
        "was not deleted, so the write is tried again when its visibility timeout lapses. See cause.",
      failed,
    );
  }
}

/** A message is larger than SQS takes; it was refused before the network. */
export class MessageTooLargeError extends BabelQueueError {
  protected static override readonly kind: string = "MessageTooLargeError";

  readonly code = "message_too_large";
  /** UTF-8 bytes of the body and of the names, types and values of the attributes. */
  readonly size: number;
  /** The most that SQS takes, in the same bytes. */
  readonly limit: number;

  constructor(size: number, limit: number) {
    super(
      `The message is ${size} bytes with its attributes, and SQS takes ${limit}. ` +
        "Send a reference to the payload instead of the payload.",
    );
    this.size = size;
    this.limit = limit;
  }
}

/** The visibility of a message could not be extended: somebody else may receive it now. */
export class VisibilityLostError extends BabelQueueError {
  protected static override readonly kind: string = "VisibilityLostError";

  readonly code = "visibility_lost";

  constructor(queue: string, options: ErrorOptions) {
    super(
      `The hold on a message of queue ${queue} was lost while its handler was running: its ` +
        "visibility timeout could not be extended in time. It may be delivered again. See cause.",
      options,
    );
  }
}

/**
 * A handler did not end in the time that a shutdown, or a Lambda invocation, gives; its message will
 * be delivered again.
 */
export class HandlerUnfinishedError extends BabelQueueError {
  protected static override readonly kind: string = "HandlerUnfinishedError";

  readonly code = "handler_unfinished";

  constructor(queue: string, ended: "consumer" | "invocation" = "consumer") {
    const { when, advice } = UNFINISHED[ended];
    super(
      `A handler for queue ${queue} was still running when ${when}. Its message was ` +
        `left and comes back when its visibility timeout lapses. Heed context.signal, or ${advice}.`,
    );
  }
}

const UNFINISHED = {
  consumer: { when: "the consumer stopped", advice: "raise shutdownTimeoutMs" },
  invocation: {
    when: "its Lambda invocation ran out of time",
    advice: "raise the function's timeout or lower the batch size",
  },
} as const;
