import { SendMessageBatchCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { MAX_BYTES, type SendEntry, sizeOfEntry } from "../wire/outgoing.js";
import type { Queue } from "../wire/queue.js";
import { Batcher } from "./batcher.js";
import type { SqsClient } from "./client.js";
import { type EntryResult, entryResults, failedWhole, failureOf } from "./result.js";

/** The id that SQS gave the message. */
export type SendBatcher = Batcher<SendEntry, string | undefined>;

export interface SendBatcherOptions {
  readonly lingerMs?: number | undefined;
  readonly maxEntries?: number | undefined;
  readonly maxInFlight: number;
}

/** Sends to one queue: what comes together goes as a batch, one message alone goes plain. */
export function createSendBatcher(
  client: SqsClient,
  queue: Queue,
  options: SendBatcherOptions,
): SendBatcher {
  return new Batcher<SendEntry, string | undefined>({
    ...options,
    request: (entries) => send(client, queue.url, entries),
    sizeOf: sizeOfEntry,
    maxBytes: MAX_BYTES,
    laneOf: queue.fifo ? ({ MessageGroupId }) => MessageGroupId : undefined,
  });
}

async function send(
  client: SqsClient,
  QueueUrl: string,
  entries: readonly SendEntry[],
): Promise<readonly EntryResult<string | undefined>[]> {
  const [only] = entries;
  if (only !== undefined && entries.length === 1) {
    const { MessageId } = await client.send(new SendMessageCommand({ QueueUrl, ...only }));
    return [{ ok: true, value: MessageId }];
  }
  const Entries = entries.map((entry, index) => ({ Id: String(index), ...entry }));
  try {
    const output = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    return entryResults(entries.length, output, ({ MessageId }) => MessageId);
  } catch (thrown) {
    if (failureOf(thrown).code !== "BatchRequestTooLong") throw thrown;
    return sendInHalves(client, QueueUrl, entries);
  }
}

/** An instrumentation adds bytes that nobody counted, and a queue may allow less. */
async function sendInHalves(
  client: SqsClient,
  queueUrl: string,
  entries: readonly SendEntry[],
): Promise<readonly EntryResult<string | undefined>[]> {
  const middle = Math.ceil(entries.length / 2);
  // one after the other: the order of a message group is kept
  const first = await settled(client, queueUrl, entries.slice(0, middle));
  return [...first, ...(await settled(client, queueUrl, entries.slice(middle)))];
}

async function settled(
  client: SqsClient,
  queueUrl: string,
  entries: readonly SendEntry[],
): Promise<readonly EntryResult<string | undefined>[]> {
  try {
    return await send(client, queueUrl, entries);
  } catch (thrown) {
    return failedWhole(entries.length, thrown);
  }
}
