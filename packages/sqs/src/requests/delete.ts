import { DeleteMessageBatchCommand, DeleteMessageCommand } from "@aws-sdk/client-sqs";
import { type Batches, type BatchesOptions, createBatches } from "./batches.js";
import type { SqsClient } from "./client.js";
import { entryResults, type RequestResult, UNANSWERED } from "./result.js";

/** The receipt handle to delete by. Asked for when the request goes out. */
type HandleNow = () => string;

export type Deletes = Batches<HandleNow, void>;

export function createDeletes(options: BatchesOptions): Deletes {
  return createBatches(options, async (client, queueUrl, items: readonly HandleNow[]) => {
    const wanted = items.map((handleNow) => handleNow());
    // two deliveries of a message share a handle, and a request may name it once
    const handles = [...new Set(wanted)];
    const results = await deleteAll(client, queueUrl, handles);
    return wanted.map((handle) => results[handles.indexOf(handle)] ?? UNANSWERED);
  });
}

async function deleteAll(
  client: SqsClient,
  QueueUrl: string,
  handles: readonly string[],
): Promise<readonly RequestResult<void>[]> {
  const [ReceiptHandle] = handles;
  if (handles.length === 1) {
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return [{ ok: true, value: undefined }];
  }
  const Entries = handles.map((handle, index) => ({ Id: String(index), ReceiptHandle: handle }));
  const output = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return entryResults(handles.length, output, () => undefined);
}
