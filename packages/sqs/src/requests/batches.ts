import { Batcher, type BatcherOptions } from "@babelqueue/core/transport";
import type { FailedRequest } from "../errors.js";
import type { Queue } from "../wire/queue.js";
import type { SqsClient } from "./client.js";
import type { RequestResult } from "./result.js";
import { resultsOf } from "./result.js";

/** Requests to one queue that share what they can. */
export type Batches<TItem, TValue> = Batcher<TItem, TValue, FailedRequest>;

export interface BatchesOptions {
  readonly client: SqsClient;
  readonly queue: Queue;
  readonly maxInFlight: number;
  /** Default: as for core's Batcher. */
  readonly lingerMs?: number | undefined;
  readonly maxItems?: number | undefined;
}

type Perform<TItem, TValue> = (
  client: SqsClient,
  queueUrl: string,
  items: readonly TItem[],
) => Promise<readonly RequestResult<TValue>[]>;

/** `perform` may throw where the request failed as a whole. */
export function createBatches<TItem, TValue>(
  { client, queue, ...options }: BatchesOptions,
  perform: Perform<TItem, TValue>,
  more: Pick<BatcherOptions<TItem, TValue, FailedRequest>, "sizeOf" | "maxBytes" | "laneOf"> = {},
): Batches<TItem, TValue> {
  return new Batcher<TItem, TValue, FailedRequest>({
    ...options,
    ...more,
    request: (items) => resultsOf(items.length, async () => perform(client, queue.url, items)),
    defer: (run) => process.nextTick(run),
  });
}
