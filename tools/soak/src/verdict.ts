import type { Evidence } from "./evidence.js";
import { handledAgain } from "./rules/again.js";
import { releasedInHand } from "./rules/hold.js";
import { deletedUnhandled, lost } from "./rules/lost.js";
import { consumeOrder, publishOrder } from "./rules/order.js";
import { ends, stoppedClean } from "./rules/stops.js";

export interface Violation {
  rule: string;
  /** Of the message, by SQS, or of what else was concerned. */
  id: string;
  text: string;
}

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

/** All that was wrong. */
export function verdictOn(evidence: Evidence): Violation[] {
  return RULES.flatMap((rule) => [...rule(evidence)]);
}
