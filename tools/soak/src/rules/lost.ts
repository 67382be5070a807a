import type { Evidence } from "../evidence.js";
import type { Violation } from "../verdict.js";

/**
 * Every message that was confirmed to its producer, and every one that SQS took, was handled or lies
 * in a dead-letter queue.
 */
export function* lost({
  messages,
  publications,
  runs,
  deadLetters,
  copies,
}: Evidence): Generator<Violation> {
  const handled = new Set<string | undefined>();
  for (const { id, envelope } of messages.values()) {
    const isHandled = runs.get(id)?.some(({ isSuccess }) => isSuccess) === true;
    const isDead = deadLetters.messages.has(id) || deadLetters.envelopes.has(envelope ?? "");
    if (isHandled || isDead) handled.add(envelope);
    else yield { rule: "lost", id, text: "SQS took it, and it was never handled" };
  }
  for (const { envelope, confirmedCall } of publications.flat()) {
    if (confirmedCall === undefined || handled.has(envelope)) continue;
    const text = `call ${confirmedCall} was confirmed, and SQS never took it, or it was never handled`;
    yield { rule: "lost", id: `envelope ${envelope}`, text };
  }
  for (const envelope of copies.keys()) {
    if (deadLetters.envelopes.has(envelope)) continue;
    const text = "it was copied to a dead-letter queue, and is not there";
    yield { rule: "lost", id: `envelope ${envelope}`, text };
  }
}

/** No message was deleted before it was handled, or copied to a dead-letter queue. */
export function* deletedUnhandled({ messages, runs, copies }: Evidence): Generator<Violation> {
  for (const { id, envelope, settles } of messages.values()) {
    const deletes = settles.filter(({ seconds, at }) => seconds === undefined && at !== undefined);
    if (deletes.length === 0) continue;
    const sentAt = Math.min(...deletes.map((settle) => settle.sentAt));
    const copiedAt = copies.get(envelope ?? "") ?? Number.POSITIVE_INFINITY;
    const handledAt = Math.min(
      copiedAt,
      ...(runs.get(id) ?? []).map(({ isSuccess, endedAt }) =>
        isSuccess && endedAt !== undefined ? endedAt : Number.POSITIVE_INFINITY,
      ),
    );
    if (handledAt <= sentAt) continue;
    yield { rule: "deletedUnhandled", id, text: `deleted at ${sentAt}, handled at ${handledAt}` };
  }
}
