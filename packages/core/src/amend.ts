import {
  decodeEnvelope,
  FORBIDDEN_KEYS,
  FORBIDDEN_META_KEYS,
  invalidAttempts,
  isAttempts,
} from "./codec.js";
import type { DeadLetter } from "./envelope.js";
import { membersOf } from "./json-text.js";
import { stringifyExactly } from "./payload.js";

export interface Amendment {
  /** The new `attempts`. Default: as received. */
  readonly attempts?: number | undefined;
  /** Adds or replaces the `dead_letter` block; `null` removes it. Default: as received. */
  readonly deadLetter?: DeadLetter | null | undefined;
}

/** What becomes of the text of a member's value; undefined removes the member. */
type Edit = (value: string) => string | undefined;

/**
 * Edits the text of a received envelope and leaves every other byte as it came: numbers keep their
 * digits, keys their order, white space its place (CONTRACT.md §1). Of duplicate keys each one is
 * edited. The keys that no envelope may hold are removed.
 *
 * @throws {@link InvalidEnvelopeError} if `body` is no envelope, or `attempts` no count.
 */
export function amendEnvelope(body: string, amendment: Amendment): string {
  const { attempts, deadLetter } = amendment;
  if (attempts !== undefined && !isAttempts(attempts)) throw invalidAttempts(attempts);
  const received = decodeEnvelope(body, { onWarning: () => undefined });
  const edits = removing(FORBIDDEN_KEYS).set("meta", (meta) =>
    // of duplicates, only the last is known to be an object
    meta.startsWith("{") ? editMembers(meta, removing(FORBIDDEN_META_KEYS)) : meta,
  );
  if (attempts !== undefined) edits.set("attempts", () => String(attempts));
  if (deadLetter === undefined) return editMembers(body, edits);
  const block = deadLetter === null ? undefined : encodeDeadLetter(deadLetter);
  edits.set("dead_letter", () => block);
  const isNew = block !== undefined && !Object.hasOwn(received, "dead_letter");
  return editMembers(body, edits, isNew ? `,"dead_letter":${block}` : "");
}

/** The block with its keys in the order of CONTRACT.md §1. */
function encodeDeadLetter(block: DeadLetter): string {
  return stringifyExactly({
    reason: block.reason,
    error: block.error ?? null,
    exception: block.exception ?? null,
    failed_at: block.failed_at,
    original_queue: block.original_queue,
    attempts: block.attempts,
    lang: block.lang,
  });
}

function removing(keys: readonly string[]): Map<string, Edit> {
  return new Map(keys.map((key) => [key, () => undefined]));
}

/** The text of an object with its members edited, and `added` after the last. */
function editMembers(text: string, edits: ReadonlyMap<string, Edit>, added = ""): string {
  const members = membersOf(text);
  const edited = members.reduce((before, { key, start, valueStart, end }, index) => {
    const received = text.slice(valueStart, end);
    const edit = edits.get(key);
    const value = edit === undefined ? received : edit(received);
    if (value === undefined) return before;
    // a removed member takes the comma before it along, or the one after it where none is kept before
    const gap = before && text.slice(members[index - 1]?.end, start);
    return before + gap + text.slice(start, valueStart) + value;
  }, "");
  return (
    text.slice(0, members[0]?.start) +
    edited +
    added +
    text.slice(members.at(-1)?.end ?? text.length)
  );
}
