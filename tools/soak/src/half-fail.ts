import type { Fault } from "./faults.js";
import type { Failed, Input, Output } from "./history.js";

/**
 * Which entries of a batch will be said to have failed, and what of it reaches SQS: some of those
 * too. A request that is no batch stays whole.
 */
export function split(input: Input, { entry }: Fault): { failed: Failed[]; reaching: Input } {
  const failed: Failed[] = [];
  const lost = new Set<string | undefined>();
  const lostGroups = new Set<string>();
  if (input.Entries === undefined) return { failed, reaching: input };
  for (const [index, { Id = "", MessageGroupId = Id }] of input.Entries.entries()) {
    const fault = entry(index);
    if (fault === undefined) continue;
    failed.push({ Id, Code: fault.code, SenderFault: fault.senderFault, Message: "Injected" });
    // "failed" of one that was taken, after one of its group that was not: no publisher that sends
    // more than one of a group in a request could keep the order
    if (fault.isApplied && !lostGroups.has(MessageGroupId)) continue;
    lost.add(Id);
    lostGroups.add(MessageGroupId);
  }
  return {
    failed,
    reaching: { ...input, Entries: input.Entries.filter(({ Id }) => !lost.has(Id)) },
  };
}

/** SQS's answer to a batch, with these entries among the failed. */
export function merged(body: Buffer, failed: readonly Failed[]): Buffer {
  const output = JSON.parse(body.toString()) as Output;
  const told = new Set(failed.map(({ Id }) => Id));
  const Successful = (output.Successful ?? []).filter(({ Id = "" }) => !told.has(Id));
  const refused = (output.Failed ?? []).filter(({ Id }) => !told.has(Id));
  return Buffer.from(
    JSON.stringify({
      ...(Successful.length > 0 && { Successful }),
      Failed: [...failed, ...refused],
    }),
  );
}
