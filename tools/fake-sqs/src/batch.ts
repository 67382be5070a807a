import { type BatchResultErrorEntry, SQSServiceException } from "@aws-sdk/client-sqs";
import type { Context } from "./context.js";
import {
  batchEntryIdsNotDistinct,
  emptyBatch,
  invalidBatchEntryId,
  tooManyEntries,
} from "./errors.js";
import type { BatchEntry, BatchOperation, BatchResult } from "./operations.js";

const MAX_ENTRIES = 10;
const ENTRY_ID = /^[A-Za-z0-9_-]{1,80}$/;

/** 1 to 10 entries with distinct, well-formed ids; otherwise the whole request is refused. */
export function checkedEntries<TEntry extends BatchEntry>(
  entries: readonly TEntry[] | undefined,
): readonly TEntry[] {
  if (!entries || entries.length === 0) throw emptyBatch();
  if (entries.length > MAX_ENTRIES) throw tooManyEntries(entries.length);
  const ids = new Set<string>();
  for (const { Id: id } of entries) {
    if (id === undefined || !ENTRY_ID.test(id)) throw invalidBatchEntryId();
    if (ids.has(id)) throw batchEntryIdsNotDistinct(id);
    ids.add(id);
  }
  return entries;
}

/** Applies each entry by itself, in order: one that is refused lands in `Failed`. */
export function applyEach<TEntry extends BatchEntry, TDone>(
  context: Context,
  operation: BatchOperation,
  entries: readonly TEntry[],
  apply: (entry: TEntry) => TDone,
): BatchResult<TDone & { Id: string | undefined }> {
  const successful: (TDone & { Id: string | undefined })[] = [];
  const failed: BatchResultErrorEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const fault = context.entryFault(operation, entry, index);
    if (fault === undefined) {
      try {
        successful.push({ ...apply(entry), Id: entry.Id });
      } catch (error) {
        failed.push(refusedEntry(entry, error));
      }
    } else {
      const { code: Code, senderFault: SenderFault, message: Message } = fault;
      failed.push({ Id: entry.Id, Code, SenderFault, Message });
    }
  }
  return {
    ...(successful.length > 0 && { Successful: successful }),
    ...(failed.length > 0 && { Failed: failed }),
  };
}

function refusedEntry(entry: BatchEntry, error: unknown): BatchResultErrorEntry {
  if (!(error instanceof SQSServiceException)) throw error;
  return {
    Id: entry.Id,
    SenderFault: error.$fault === "client",
    Code: error.name,
    Message: error.message,
  };
}
