import { expectEqual, expectTrue } from "../expectation.js";
import { UNKNOWN_URN, URN } from "../stage.js";

/**
 * The text of an envelope as an SDK of another language writes it, whose bytes tell whether it was
 * passed on or written anew: `99.90`, a 64-bit integer, an escaped slash, a space, unknown keys.
 */
export function rawEnvelope({
  urn = URN,
  attempts = 0,
}: {
  readonly urn?: string;
  readonly attempts?: number;
}): string {
  return (
    `{"job":"${urn}","trace_id":"5c1f0c3e-6a2b-4a53-9d58-0f0a3b1c9e77",` +
    '"data":{"price":99.90,"customer":9223372036854775807,"name":"Gr\\u00fc\\/ße 日本"},' +
    '"meta": {"id":"0d9f1a52-70c6-4b53-8f7e-5a4d1c0b9a31","queue":"elsewhere","lang":"php",' +
    `"schema_version":1,"created_at":1749132727000,"region":"eu"},"priority":7,"attempts":${attempts}}`
  );
}

/** What the block of a dead letter says, `failed_at` and `error` aside. */
interface Block {
  readonly reason: string;
  readonly queue: string;
  readonly attempts: number;
}

/** A dead letter's block, and its body without it. */
export interface OpenedLetter {
  readonly rest: string;
  readonly block: Readonly<Record<string, unknown>>;
}

/**
 * Takes the block off the end of a dead letter's body, text as it is: what is left is what came, or
 * the object that it was put into.
 */
export function openLetter(body: string): OpenedLetter {
  const at = body.lastIndexOf('"dead_letter":{');
  const [text = "null"] = /\{[^{}]*\}/.exec(body.slice(at)) ?? [];
  const block: unknown = at < 0 ? null : JSON.parse(text);
  const end = at + '"dead_letter":'.length + text.length;
  const rest = at < 0 ? body : body.slice(0, at).replace(/,$/, "") + body.slice(end);
  return { rest, block: (block ?? {}) as OpenedLetter["block"] };
}

/** What must be the same in each such block; `error` says why a message was refused. */
export function expectBlock({ block }: OpenedLetter, { reason, queue, attempts }: Block): void {
  const { failed_at: failedAt, error, ...rest } = block;
  const expected = {
    reason,
    exception: null,
    original_queue: queue,
    attempts,
    lang: "node",
  };
  expectEqual(rest, expected, "the dead_letter block");
  expectEqual(typeof failedAt, "number", "the type of failed_at");
  const isTold = typeof error === "string" && error !== "" && error.length <= 1000;
  expectTrue(reason === "poison" ? isTold : error === null, "error says why it was refused");
  const keys = ["reason", "error", "exception", "failed_at", "original_queue", "attempts", "lang"];
  expectEqual(Object.keys(block), keys, "the order of the dead_letter block");
}

/** The same, without a handler. */
export function rawUnknown(attempts = 0): string {
  return rawEnvelope({ urn: UNKNOWN_URN, attempts });
}
