/**
 * @typedef {import("./history.mjs").Failed} Failed
 * @typedef {import("./history.mjs").Input} Input
 * @typedef {import("./history.mjs").Output} Output
 */

/**
 * Which entries of a batch will be said to have failed, and what of it reaches SQS: some of those
 * too. A request that is no batch stays whole.
 *
 * @param {Input} input
 * @param {import("./faults.mjs").Fault} fault
 * @returns {{ failed: Failed[], reaching: Input }}
 */
export function split(input, { entry }) {
  /** @type {Failed[]} */
  const failed = [];
  /** @type {Set<string | undefined>} */
  const lost = new Set();
  /** @type {Set<string>} */
  const lostGroups = new Set();
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

/**
 * SQS's answer to a batch, with these entries among the failed.
 *
 * @param {Buffer} body
 * @param {readonly Failed[]} failed
 */
export function merged(body, failed) {
  const output = /** @type {Output} */ (JSON.parse(body.toString()));
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
