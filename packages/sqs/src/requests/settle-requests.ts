import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
} from "@aws-sdk/client-sqs";
import type { Held } from "../delivery/hold.js";
import { Batcher } from "./batcher.js";
import type { SqsClient } from "./client.js";
import { type EntryResult, entryResults, UNANSWERED } from "./result.js";

/** A change of a message's visibility, from the request on; no longer than SQS still holds it. */
export interface VisibilityChange {
  readonly held: Held;
  readonly seconds: number;
}

export interface RequestOptions {
  readonly client: SqsClient;
  readonly queueUrl: string;
  readonly maxInFlight: number;
  /** Default: as for {@link Batcher}. */
  readonly lingerMs?: number | undefined;
}

/** Deletes by the newest receipt handle: SQS may take an older one and do nothing. */
export function createDeleteBatcher(options: RequestOptions): Batcher<Held, void> {
  const { client, queueUrl: QueueUrl } = options;
  return new Batcher({
    ...options,
    request: async (entries) => {
      const wanted = entries.map(({ claim }) => claim.receiptHandle);
      // two deliveries of a message share a handle, and a request may name it once
      const handles = [...new Set(wanted)];
      const results = await deleteAll(client, QueueUrl, handles);
      return wanted.map((handle) => results[handles.indexOf(handle)] ?? UNANSWERED);
    },
  });
}

async function deleteAll(
  client: SqsClient,
  QueueUrl: string,
  handles: readonly string[],
): Promise<readonly EntryResult<void>[]> {
  const [ReceiptHandle] = handles;
  if (handles.length === 1) {
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return [DONE];
  }
  const Entries = handles.map((handle, index) => ({ Id: String(index), ReceiptHandle: handle }));
  const output = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return entryResults(handles.length, output, () => undefined);
}

/**
 * Changes visibility by the delivery's own receipt handle, and not at all once its hold is lost: a
 * newer delivery has a hold of its own, and a finished message is not to come back.
 */
export function createVisibilityBatcher(options: RequestOptions): Batcher<VisibilityChange, void> {
  const { client, queueUrl } = options;
  return new Batcher({
    ...options,
    request: async (entries) => {
      const current = entries.filter(({ held }) => !held.isLost);
      const results = current.length === 0 ? [] : await changeAll(client, queueUrl, current);
      return entries.map((entry) => {
        const index = current.indexOf(entry);
        return index === -1 ? LOST : (results[index] ?? UNANSWERED);
      });
    },
  });
}

async function changeAll(
  client: SqsClient,
  QueueUrl: string,
  entries: readonly VisibilityChange[],
): Promise<readonly EntryResult<void>[]> {
  const changes = entries.map(({ held, seconds }) => ({
    ReceiptHandle: held.receiptHandle,
    VisibilityTimeout: Math.min(seconds, held.remainingSeconds),
  }));
  const [only] = changes;
  if (only !== undefined && changes.length === 1) {
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ...only }));
    return [DONE];
  }
  const Entries = changes.map((change, index) => ({ Id: String(index), ...change }));
  const output = await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
  return entryResults(entries.length, output, () => undefined);
}

const DONE: EntryResult<void> = { ok: true, value: undefined };

const LOST: EntryResult<void> = {
  ok: false,
  failure: {
    code: "HoldLost",
    senderFault: true,
    cause: new Error("The visibility timeout lapsed, and the message was delivered again"),
  },
};
