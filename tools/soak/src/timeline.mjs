/**
 * @typedef {import("./history.mjs").Delivery} Delivery
 * @typedef {import("./history.mjs").Message} Message
 * @typedef {import("./history.mjs").Settle} Settle
 *
 * @typedef {object} Stay a delivery, and how it ended
 * @property {Delivery} delivery
 * @property {number} visibleAt when its visibility timeout lapses
 * @property {number | undefined} releasedAt when its consumer made it visible
 * @property {"open" | "lapsed" | "released" | "early"} end why it was delivered again; `early` is the server's fault
 *
 * @typedef {object} Deletion a delete that SQS applied
 * @property {Settle} settle
 * @property {boolean} isLapsed the visibility of its delivery had lapsed by then
 *
 * @typedef {object} Timeline
 * @property {ReadonlyMap<Delivery, Stay>} stays
 * @property {readonly Deletion[]} deletions
 */

/** Between the moment that SQS took as now and the one that it told. */
const TOLERANCE_MS = 30;
/** Within so much of its timeout a delivery that was followed by another had lapsed, or SQS is wrong. */
const EARLY_MS = 500;

/**
 * What SQS did with a message, in its order.
 *
 * @param {Message} message
 * @returns {Timeline}
 */
export function timelineOf(message) {
  /** @type {Map<Delivery, Stay>} */
  const stays = new Map();
  /** @type {Deletion[]} */
  const deletions = [];
  /** @type {Stay | undefined} */
  let current;
  for (const step of stepsOf(message)) {
    if (step.settle === undefined) {
      const { delivery } = step;
      if (current !== undefined) current.end = endOf(current, delivery.at);
      current = {
        delivery,
        visibleAt: delivery.at + delivery.timeoutMs,
        releasedAt: undefined,
        end: "open",
      };
      stays.set(delivery, current);
      continue;
    }
    const { settle, at } = step;
    const stay = stays.get(settle.delivery);
    if (stay === undefined) continue;
    if (settle.seconds === undefined) {
      const isOver = stay !== current || stay.visibleAt <= at + TOLERANCE_MS;
      const isLapsed = isOver && stay.releasedAt === undefined;
      deletions.push({ settle, isLapsed });
    } else if (stay === current) {
      change(stay, settle.seconds, at);
    }
  }
  return { stays, deletions };
}

/**
 * @param {Message} message
 * @returns {{ at: number, delivery: Delivery, settle: Settle | undefined }[]}
 */
function stepsOf({ deliveries, settles }) {
  /** @type {{ at: number, delivery: Delivery, settle: Settle | undefined }[]} */
  const steps = deliveries.map((delivery) => ({ at: delivery.at, delivery, settle: undefined }));
  for (const settle of settles) {
    if (settle.at !== undefined) steps.push({ at: settle.at, delivery: settle.delivery, settle });
  }
  // a release can be answered with a waiting receive in one go: then it came first
  return steps.sort((a, b) => a.at + lagOf(a) - b.at - lagOf(b));
}

/** @param {{ settle: Settle | undefined }} step */
function lagOf({ settle }) {
  return settle === undefined ? 0.5 : 0;
}

/**
 * A heartbeat sets the whole timeout anew; anything shorter is a release.
 *
 * @param {Stay} stay
 * @param {number} seconds
 * @param {number} at
 */
function change(stay, seconds, at) {
  stay.visibleAt = at + seconds * 1000;
  if (seconds * 1000 < stay.delivery.timeoutMs) stay.releasedAt ??= at;
}

/**
 * @param {Stay} stay
 * @param {number} at when it was delivered again
 * @returns {Stay["end"]}
 */
function endOf({ visibleAt, releasedAt }, at) {
  if (at < visibleAt - EARLY_MS) return "early";
  return releasedAt === undefined ? "lapsed" : "released";
}
