import {
  decodeEnvelope,
  FORBIDDEN_KEYS,
  FORBIDDEN_META_KEYS,
  invalidAttempts,
  isAttempts,
} from "./codec.js";
import type { DeadLetter } from "./envelope.js";
import { isObjectAt, type MemberSpan, membersOf, valueStart } from "./json-text.js";
import { stringifyExactly } from "./payload.js";

export interface Amendment {
  /** The new `attempts`. Default: as received. */
  readonly attempts?: number | undefined;
  /** Adds or replaces the `dead_letter` block; `null` removes it. Default: as received. */
  readonly deadLetter?: DeadLetter | null | undefined;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

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
  decodeEnvelope(body, { onWarning: () => undefined });
  const members = membersOf(body, valueStart(body));
  const replacements = new Map<string, string>();
  if (attempts !== undefined) replacements.set("attempts", String(attempts));
  if (deadLetter) replacements.set("dead_letter", encodeDeadLetter(deadLetter));

  const removed = new Set<string>(FORBIDDEN_KEYS);
  if (deadLetter === null) removed.add("dead_letter");
  return applyEdits(body, [
    ...members.flatMap((member) => replace(member, replacements)),
    ...members.filter(isMetaObject(body)).flatMap((meta) => removeMetaKeys(body, meta)),
    ...remove(members, removed),
    ...(deadLetter ? append(members, "dead_letter", encodeDeadLetter(deadLetter)) : []),
  ]);
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

function isMetaObject(body: string): (member: MemberSpan) => boolean {
  return ({ key, valueStart: start }) => key === "meta" && isObjectAt(body, start);
}

function removeMetaKeys(body: string, meta: MemberSpan): Edit[] {
  return remove(membersOf(body, meta.valueStart), new Set(FORBIDDEN_META_KEYS));
}

function replace(member: MemberSpan, replacements: ReadonlyMap<string, string>): Edit[] {
  const text = replacements.get(member.key);
  return text === undefined ? [] : [{ start: member.valueStart, end: member.end, text }];
}

/** Each removed member takes the comma before it along, or the one after it where none is kept before. */
function remove(members: readonly MemberSpan[], keys: ReadonlySet<string>): Edit[] {
  const firstKept = members.findIndex(({ key }) => !keys.has(key));
  return members.flatMap((member, index) => {
    if (!keys.has(member.key)) return [];
    const isBehindKept = firstKept !== -1 && firstKept < index;
    const start = isBehindKept ? (members[index - 1]?.end ?? member.start) : member.start;
    const end = isBehindKept ? member.end : (members[index + 1]?.start ?? member.end);
    return [{ start, end, text: "" }];
  });
}

function append(members: readonly MemberSpan[], key: string, value: string): Edit[] {
  const last = members.at(-1);
  if (last === undefined || members.some((member) => member.key === key)) return [];
  return [{ start: last.end, end: last.end, text: `,"${key}":${value}` }];
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let amended = "";
  let at = 0;
  // stable: an insertion at the end of a member follows the edit of that member
  for (const edit of [...edits].sort((a, b) => a.end - b.end)) {
    amended += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return amended + text.slice(at);
}
