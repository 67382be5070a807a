// docs/settlement.md, for a consumer that has a dead-letter queue: what becomes of what no handler may get.

/** @typedef {import("./watch.mjs").Fate} Fate */

/**
 * @param {import("./cases.mjs").Case} message
 * @param {import("./party.mjs").Strategy | null} strategy
 * @param {boolean} fifo
 * @returns {Fate}
 */
export function contract({ kind, copy }, strategy, fifo) {
  const nothing = { handled: 0, body: "no copy", attributes: "", ids: "" };
  if (strategy === "delete") return { ...nothing, original: "deleted" };
  if (kind === "unknown" && strategy !== "dead_letter") {
    return { ...nothing, original: strategy === "release" ? "released" : "left" };
  }
  const reason = kind === "unknown" ? "unknown_urn" : kind;
  const block = `dead_letter: ${reason}, attempts 0, error ${kind === "poison" ? "set" : "null"}, exception null, from the queue`;
  const bodies = {
    verbatim: "verbatim",
    wrapped: `\`{"raw":…}\` with ${block}`,
    spliced: `the received bytes with ${block}`,
  };
  return {
    handled: 0,
    original: "deleted",
    body: bodies[copy],
    // the group of a FIFO message takes the tenth attribute, which is then wanting for the last rider
    attributes: fifo
      ? `as received, without tenant, and bq-dead-letter-reason=${reason}, bq-original-group=group, bq-original-queue=the queue`
      : `as received, and bq-dead-letter-reason=${reason}, bq-original-queue=the queue`,
    ids: fifo ? "group: the queue, deduplication: the SQS message id" : "none",
  };
}
