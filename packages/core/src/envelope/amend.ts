import { decodeEnvelope, invalidAttempts, isAttempts } from "./codec.js";
import { type DeadLetter, FORBIDDEN_KEYS, FORBIDDEN_META_KEYS } from "./envelope.js";
import { isNonBlank, isObject } from "./json.js";
import { type Edit, editMembers, hasLoneSurrogate } from "./json-text.js";
import { stringifyExactly } from "./payload.js";

export interface Amendment {
  /** The new `attempts`. Default: as received. */
  readonly attempts?: number | undefined;
  /** Adds or replaces the `dead_letter` block; `null` removes it. Default: as received. */
  readonly deadLetter?: DeadLetter | null | undefined;
}

const BLOCK_KEYS = [
  "reason",
  "error",
  "exception",
  "failed_at",
  "original_queue",
  "attempts",
  "lang",
] as const;

const remove: Edit = () => undefined;

function write(value: string): Edit {
  return (key) => key + value;
}

/**
 * Edits the text of a received envelope and leaves every other byte as it came: numbers keep their
 * digits, keys their order, white space its place (docs/wire-contract.md §1). Of duplicate keys each one is
 * edited. The keys that no envelope may hold are removed; an alias `urn` that names the message
 * becomes `job`.
 *
 * @throws {@link InvalidEnvelopeError} if `body` is no envelope, or `attempts` no count.
 */
export function amendEnvelope(body: string, { attempts, deadLetter }: Amendment): string {
  if (attempts !== undefined && !isAttempts(attempts)) throw invalidAttempts(attempts);
  decodeEnvelope(body, { onWarning: () => undefined });
  const { job } = JSON.parse(body) as { readonly job?: unknown };
  const edits = removing(FORBIDDEN_KEYS).set("meta", editMeta);
  if (!isNonBlank(job)) {
    edits.set("job", remove).set("urn", renameToJob);
  }
  if (attempts !== undefined) edits.set("attempts", write(String(attempts)));
  if (deadLetter === null) edits.set("dead_letter", remove);
  else if (deadLetter !== undefined) edits.set("dead_letter", writeBlock(deadLetter));
  return editMembers(body, edits);
}

/**
 * The copy of a refused body for a dead-letter queue (docs/wire-contract.md §4). A JSON object keeps every byte
 * and gains the block. Anything else, an object that has such a block included, goes as text into
 * the member `raw` of an object with the block.
 */
export function toPoisonCopy(body: string, block: DeadLetter): string {
  return takesBlock(body)
    ? editMembers(body, new Map([["dead_letter", writeBlock(block)]]))
    : stringifyExactly({ raw: body, dead_letter: inOrder(block) });
}

/** JSON.parse takes half a surrogate pair, which other readers refuse. */
function takesBlock(body: string): boolean {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) && !Object.hasOwn(parsed, "dead_letter") && !hasLoneSurrogate(body);
  } catch {
    return false;
  }
}

function editMeta(key: string, meta: string): string {
  // of duplicates, only the last is known to be an object
  return key + (meta.startsWith("{") ? editMembers(meta, removing(FORBIDDEN_META_KEYS)) : meta);
}

function renameToJob(key: string, urn: string): string {
  return `"job"${key.slice(key.lastIndexOf('"') + 1)}${urn}`;
}

function writeBlock(block: DeadLetter): Edit {
  return write(stringifyExactly(inOrder(block)));
}

/** The block with its keys, all of them and no others, in the order of docs/wire-contract.md §1. */
function inOrder(block: DeadLetter): object {
  return Object.fromEntries(BLOCK_KEYS.map((key) => [key, block[key] ?? null]));
}

function removing(keys: readonly string[]): Map<string, Edit> {
  return new Map(keys.map((key) => [key, remove]));
}
