import type { Envelope } from "../envelope/envelope.js";
import { isNonBlank } from "../envelope/json.js";
import type { Headers } from "../headers.js";

/** The native message of the in-memory transport, as its handlers are given it. */
export interface MemoryMessage {
  readonly id: string;
  /** The encoded text. */
  readonly body: string;
  /** What rides beside the body, `bq-schema-version` among it. */
  readonly headers: Readonly<Headers>;
  /** How often it was received, this time included. */
  readonly receiveCount: number;
  /** FIFO: the group whose order is kept. */
  readonly messageGroupId?: string | undefined;
}

/** A message in a queue, as a test looks at it. */
export interface StoredMessage extends MemoryMessage {
  /** What the body says; null where it is no envelope. */
  readonly envelope: Envelope | null;
  /** A consumer holds it. */
  readonly isInFlight: boolean;
  /** Until it can be received (again); 0 if it can now. */
  readonly visibleInSeconds: number;
}

/** The attributes that restate the envelope (docs/wire-contract.md §2); they are no headers of the user's. */
const CONTRACT_NAMES: ReadonlySet<string> = new Set([
  "bq-job",
  "bq-trace-id",
  "bq-message-id",
  "bq-schema-version",
  "bq-source-lang",
  "bq-created-at",
]);

/** The attribute that the gate of docs/wire-contract.md §3 reads. */
export const SCHEMA_VERSION_HEADER = "bq-schema-version";

/** The user's headers: neither the contract's names nor blanks. */
export function ridersOf(headers: Readonly<Headers>): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !CONTRACT_NAMES.has(name) && isNonBlank(name) && isNonBlank(value),
    ),
  );
}
