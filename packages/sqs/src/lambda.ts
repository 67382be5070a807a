import type { Message } from "@aws-sdk/client-sqs";
import {
  createConsume,
  type Handlers,
  InvalidArgumentError,
  type Routes,
  type SettlementOptions,
} from "@babelqueue/core";
import {
  type LambdaContext,
  recordsOf,
  type SqsBatchResponse,
  type SqsEvent,
} from "./lambda/event.js";
import { Invocation } from "./lambda/invocation.js";
import { requireOtherSources } from "./lambda/queue-of-arn.js";
import type { SqsClient } from "./requests/client.js";
import { queueOf, requireOther } from "./wire/queue.js";

export type {
  LambdaContext,
  SqsBatchResponse,
  SqsEvent,
  SqsRecord,
  SqsRecordAttribute,
} from "./lambda/event.js";
export type { SqsClient } from "./requests/client.js";

/** How the messages of a function are settled: a consumer's options, as far as a function has them. */
export interface SqsHandlerOptions extends SettlementOptions<Message> {
  /**
   * With one, the delay of a release is applied by `ChangeMessageVisibility`, the default of 0 too.
   * Default: none, a message that failed comes back when the queue's visibility timeout lapses.
   */
  readonly client?: SqsClient | undefined;
  /**
   * Where poison, gated and (by strategy) unknown messages go. It must exist, and needs a `client`.
   * Default: none, the queue's own redrive policy is the safety net.
   */
  readonly deadLetterQueueUrl?: string | undefined;
  /**
   * The URL of the queue, or of the queue with an ARN, where it does not follow from the ARN: some
   * emulators know a queue by the URL that they gave it. Default: as on AWS.
   */
  readonly queueUrl?: string | ((queueArn: string) => string) | undefined;
}

/** The handler of a Lambda function. */
export type SqsHandler = (event: SqsEvent, context?: LambdaContext) => Promise<SqsBatchResponse>;

/**
 * A Lambda handler for SQS event sources, standard and FIFO. It settles as docs/wire-contract.md §4 says:
 * what is handled, dropped or dead-lettered is left to Lambda to delete, everything else is named in
 * `batchItemFailures` and comes back. So the event source mapping must have `ReportBatchItemFailures`
 * among its `FunctionResponseTypes`; without it, Lambda deletes what failed.
 *
 * User handlers are given the message in the shape of the AWS SDK, so that one router serves a
 * `SqsConsumer` and a function. `context.signal` aborts 1 s before the invocation's time runs out;
 * what is unfinished then is reported (`HandlerUnfinishedError`) and comes back.
 *
 * The handler rejects for nothing that concerns a single message. It rejects, and the whole batch
 * comes back, for an event that is none of SQS's: without an array of `Records`, or with one that
 * has no `messageId`; and for one of the dead-letter queue itself.
 *
 * @throws `InvalidArgumentError` of core for options that cannot be meant.
 */
export function createSqsHandler(
  handlers: Routes<Message> | Handlers<Message>,
  options: SqsHandlerOptions = {},
): SqsHandler {
  const { client, deadLetterQueueUrl, queueUrl } = options;
  const deadLetterQueue =
    deadLetterQueueUrl === undefined
      ? undefined
      : queueOf(deadLetterQueueUrl, "deadLetterQueueUrl");
  if (deadLetterQueue !== undefined && client === undefined) {
    const why = "writing there needs an SQSClient, so set client as well";
    throw new InvalidArgumentError("deadLetterQueueUrl", why);
  }
  if (queueUrl !== undefined && typeof queueUrl !== "function") {
    const queue = queueOf(queueUrl);
    if (deadLetterQueue !== undefined) requireOther(deadLetterQueue, queue);
  }
  const deadLetters = deadLetterQueue !== undefined;
  const consume = createConsume(handlers, { ...options, deadLetters });
  return async (event, context) => {
    const records = recordsOf(event);
    if (deadLetterQueue !== undefined) requireOtherSources(records, deadLetterQueue, queueUrl);
    const setup = { consume, client, deadLetterQueue, queueUrl, hooks: options };
    return new Invocation(context, setup).handle(records);
  };
}
