// CONTRACT §4, for a consumer that has a dead-letter queue: what becomes of what no handler may get.

/** @typedef {import("./watch.mjs").Fate} Fate */

/**
 * @param {"refused" | "unknown"} kind
 * @param {import("./party.mjs").Strategy | null} strategy
 * @param {boolean} fifo
 * @returns {Fate}
 */
export function contract(kind, strategy, fifo) {
  const ids = fifo ? "group: the queue, deduplication: the SQS message id" : "none";
  const nothing = { handled: 0, body: "no copy", attributes: "", ids: "" };
  if (strategy === "delete") return { ...nothing, original: "deleted" };
  if (kind === "refused") {
    return {
      handled: 0,
      original: "deleted",
      body: "verbatim",
      attributes: "as received, and bq-dead-letter-reason=poison, bq-original-queue=the queue",
      ids,
    };
  }
  switch (strategy) {
    case null:
    case "fail":
      return { ...nothing, original: "left" };
    case "release":
      return { ...nothing, original: "released" };
    case "dead_letter":
      return {
        handled: 0,
        original: "deleted",
        body: "the received bytes with dead_letter: unknown_urn, attempts 0, error null, exception null, from the queue",
        attributes: "as received",
        ids,
      };
  }
}
