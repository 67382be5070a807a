import { SendMessageBatchCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { MAX_BYTES, type OutgoingMessage, sizeOf } from "../wire/outgoing.js";
import { type Batches, type BatchesOptions, createBatches } from "./batches.js";
import type { SqsClient } from "./client.js";
import { entryResults, failedRequest, type RequestResult, resultsOf } from "./result.js";

/** The value is the id that SQS gave the message. */
export type Sends = Batches<OutgoingMessage, string | undefined>;

/** Sends to one queue: what comes together goes as a batch, one message alone goes plain. */
export function createSends(options: BatchesOptions): Sends {
  return createBatches(options, sendAll, {
    sizeOf,
    maxBytes: MAX_BYTES,
    laneOf: options.queue.fifo ? ({ MessageGroupId }) => MessageGroupId : undefined,
  });
}

async function sendAll(
  client: SqsClient,
  QueueUrl: string,
  messages: readonly OutgoingMessage[],
): Promise<readonly RequestResult<string | undefined>[]> {
  const [only] = messages;
  if (only !== undefined && messages.length === 1) {
    const { MessageId } = await client.send(new SendMessageCommand({ QueueUrl, ...only }));
    return [{ ok: true, value: MessageId }];
  }
  const Entries = messages.map((message, index) => ({ Id: String(index), ...message }));
  try {
    const output = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    return entryResults(messages.length, output, ({ MessageId }) => MessageId);
  } catch (thrown) {
    if (failedRequest(thrown).code !== "BatchRequestTooLong") throw thrown;
    return sendInHalves(client, QueueUrl, messages);
  }
}

/** An instrumentation adds bytes that nobody counted, and a queue may allow less. */
async function sendInHalves(
  client: SqsClient,
  queueUrl: string,
  messages: readonly OutgoingMessage[],
): Promise<readonly RequestResult<string | undefined>[]> {
  const middle = Math.ceil(messages.length / 2);
  const send = (half: readonly OutgoingMessage[]) =>
    resultsOf(half.length, () => sendAll(client, queueUrl, half));
  // one after the other: the order of a message group is kept
  const first = await send(messages.slice(0, middle));
  return [...first, ...(await send(messages.slice(middle)))];
}
