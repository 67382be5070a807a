import type { Clock } from "./clock.js";
import type { EntryFault } from "./hooks.js";
import type { BatchEntry, BatchOperation } from "./operations.js";
import type { Queues } from "./queues.js";

/** What the operations work on. */
export interface Context {
  readonly clock: Clock;
  readonly queues: Queues;
  readonly lapsedVisibilityChange: LapsedVisibilityChange;
  readonly signal: AbortSignal | undefined;
  /** The fault a test has planned for an entry of a batch. */
  readonly entryFault: (
    operation: BatchOperation,
    entry: BatchEntry,
    index: number,
  ) => EntryFault | undefined;
}

/**
 * What a visibility change with a lapsed handle gets: `refused` with `MessageNotInflight`, as the
 * API reference says, or `ignored` with success, as recordings of AWS show.
 */
export type LapsedVisibilityChange = "refused" | "ignored";
