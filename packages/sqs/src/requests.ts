import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
} from "@aws-sdk/client-sqs";
import { Batcher } from "./batcher.js";
import type { SqsClient } from "./client.js";
import { type EntryResult, entryResults } from "./failure.js";
import type { Held } from "./held.js";

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

export function createDeleteBatcher(options: RequestOptions): Batcher<Held, void> {
  const { client, queueUrl: QueueUrl } = options;
  return new Batcher({
    ...options,
    request: (entries) =>
      byReceiptHandle(entries, receiptHandleOf, async (handles) => {
        const [ReceiptHandle] = handles;
        if (handles.length === 1) {
          await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
          return [DONE];
        }
        const Entries = handles.map((handle, index) => ({
          Id: String(index),
          ReceiptHandle: handle,
        }));
        const output = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
        return entryResults(handles.length, output, () => undefined);
      }),
  });
}

export function createVisibilityBatcher(options: RequestOptions): Batcher<VisibilityChange, void> {
  const { client, queueUrl: QueueUrl } = options;
  return new Batcher({
    ...options,
    request: (entries) => {
      const seconds = new Map(
        entries.map(({ held, seconds: wanted }) => [
          receiptHandleOf(held),
          Math.min(wanted, held.remainingSeconds),
        ]),
      );
      return byReceiptHandle(
        entries,
        ({ held }) => receiptHandleOf(held),
        async (handles) => {
          const changes = handles.map((ReceiptHandle) => ({
            ReceiptHandle,
            // without it SQS would hide the message for ever
            VisibilityTimeout: seconds.get(ReceiptHandle) ?? 0,
          }));
          const [only] = changes;
          if (only !== undefined && changes.length === 1) {
            await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ...only }));
            return [DONE];
          }
          const Entries = changes.map((change, index) => ({ Id: String(index), ...change }));
          const output = await client.send(
            new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }),
          );
          return entryResults(handles.length, output, () => undefined);
        },
      );
    },
  });
}

/** Always of the newest delivery, at the time of the request. */
function receiptHandleOf({ claim }: Held): string {
  return claim.receiptHandle;
}

const DONE: EntryResult<void> = { ok: true, value: undefined };

/**
 * Entries of one request are distinct by receipt handle: two deliveries of a message share the
 * newest. Each gets the result of its handle.
 */
async function byReceiptHandle<T>(
  entries: readonly T[],
  handleOf: (entry: T) => string,
  request: (handles: readonly string[]) => Promise<readonly EntryResult<void>[]>,
): Promise<readonly EntryResult<void>[]> {
  const perEntry = entries.map(handleOf);
  const handles = [...new Set(perEntry)];
  const results = await request(handles);
  return perEntry.map((handle) => results[handles.indexOf(handle)] ?? DONE);
}
