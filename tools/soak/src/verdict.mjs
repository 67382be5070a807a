import { handledAgain } from "./rules/again.mjs";
import { releasedInHand } from "./rules/hold.mjs";
import { deletedUnhandled, lost } from "./rules/lost.mjs";
import { consumeOrder, publishOrder } from "./rules/order.mjs";
import { ends, stoppedClean } from "./rules/stops.mjs";

/**
 * @typedef {object} Violation
 * @property {string} rule
 * @property {string} id of the message, by SQS, or of what else was concerned
 * @property {string} text
 */

const RULES = [
  lost,
  deletedUnhandled,
  handledAgain,
  releasedInHand,
  consumeOrder,
  publishOrder,
  ends,
  stoppedClean,
];

/**
 * All that was wrong.
 *
 * @param {import("./evidence.mjs").Evidence} evidence
 * @returns {Violation[]}
 */
export function verdictOn(evidence) {
  return RULES.flatMap((rule) => [...rule(evidence)]);
}
