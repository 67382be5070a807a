import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
} from "@aws-sdk/client-sqs";
import { type Batches, type BatchesOptions, createBatches } from "./batches.js";
import type { SqsClient } from "./client.js";
import { entryResults, type RequestResult, UNANSWERED } from "./result.js";

/** For how long a delivery is to be hidden, from the request on. */
export interface VisibilityChange {
  readonly receiptHandle: string;
  readonly seconds: number;
}

/** The change to make; undefined where it is no longer ours to make. Asked for when the request goes out. */
type ChangeNow = () => VisibilityChange | undefined;

export type VisibilityChanges = Batches<ChangeNow, void>;

export function createVisibilityChanges(options: BatchesOptions): VisibilityChanges {
  return createBatches(options, async (client, queueUrl, items: readonly ChangeNow[]) => {
    const changes = items.map((changeNow) => changeNow());
    const current = changes.filter((change) => change !== undefined);
    const results = current.length === 0 ? [] : await changeAll(client, queueUrl, current);
    let next = 0;
    return changes.map((change) => {
      if (change === undefined) return LOST;
      next += 1;
      return results[next - 1] ?? UNANSWERED;
    });
  });
}

async function changeAll(
  client: SqsClient,
  QueueUrl: string,
  changes: readonly VisibilityChange[],
): Promise<readonly RequestResult<void>[]> {
  const inputs = changes.map(({ receiptHandle, seconds }) => ({
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: seconds,
  }));
  const [only] = inputs;
  if (only !== undefined && inputs.length === 1) {
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ...only }));
    return [{ ok: true, value: undefined }];
  }
  const Entries = inputs.map((input, index) => ({ Id: String(index), ...input }));
  const output = await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
  return entryResults(inputs.length, output, () => undefined);
}

const LOST: RequestResult<void> = {
  ok: false,
  failed: {
    code: "HoldLost",
    senderFault: true,
    cause: new Error("The visibility timeout lapsed, and the message was delivered again"),
  },
  again: false,
};
