import { between, pick, randomFor } from "./random.mjs";

/**
 * What the proxy does to one request.
 *
 * @typedef {"none" | keyof typeof RATES} FaultKind
 * @typedef {object} EntryFault how one entry of a batch is made to fail
 * @property {boolean} isApplied SQS does it all the same
 * @property {string} code
 * @property {boolean} senderFault
 * @typedef {object} Fault
 * @property {FaultKind} kind
 * @property {number} ms how long what is late is late
 * @property {"throttle" | "server"} answer what a refused request is answered
 * @property {(index: number) => EntryFault | undefined} entry for `halfFail`
 */

/** How often each fault befalls a request. */
const RATES = {
  /** The connection is cut, and SQS never sees the request. */
  cutBefore: 0.01,
  /** The connection is cut, and SQS applies the request later, when it was tried again perhaps. */
  cutLate: 0.01,
  /** SQS applies the request, and the connection is cut before the answer. */
  cutAfter: 0.012,
  /** The same in the middle of the answer. */
  cutHalf: 0.006,
  delayBefore: 0.03,
  delayAfter: 0.03,
  /** SQS applies the request twice, the second time later. */
  duplicate: 0.015,
  /** Not applied, and answered 400, 403 or 429. */
  throttle: 0.012,
  /** Not applied, and answered 500 or 503. */
  error: 0.01,
  /** Applied, and answered 500 or 503. */
  errorAfter: 0.006,
  /** Not applied, and cut after seconds of silence. */
  hang: 0.001,
  /** Some entries of a batch fail, of which some are applied; on any other request nothing. */
  halfFail: 0.06,
};

/** Now and then nothing works: every so many requests, so many in a row. */
const OUTAGE_EVERY = 1500;
const OUTAGE_MIN = 15;
const OUTAGE_MAX = 60;

const HANG_MS = 2500;
const MAX_LATE_MS = 900;
const MAX_DELAY_MS = 400;

/** Refusals, with the status that AWS gives them. */
export const THROTTLES = [
  { code: "ThrottlingException", status: 400 },
  { code: "RequestThrottled", status: 403 },
  { code: "TooManyRequestsException", status: 429 },
];
export const SERVER_ERRORS = [
  { code: "InternalFailure", status: 500 },
  { code: "ServiceUnavailable", status: 503 },
];

const ENTRY_FAULTS = [
  { code: "InternalError", senderFault: false },
  { code: "ServiceUnavailable", senderFault: false },
  { code: "RequestThrottled", senderFault: true },
];

/** @type {Fault} */
export const NO_FAULT = { kind: "none", ms: 0, answer: "server", entry: () => undefined };

/**
 * What befalls the nth request: a function of the seed and the number alone.
 *
 * @param {number} seed
 * @param {number} number
 * @returns {Fault}
 */
export function faultOf(seed, number) {
  const random = randomFor(seed, 1, number);
  const kind = isOutage(seed, number)
    ? pick(random(), { cutBefore: 0.4, throttle: 0.2, errorAfter: 0.1 }, "error")
    : pick(random(), RATES, "none");
  return {
    kind,
    ms: kind === "hang" ? HANG_MS : between(random, 20, isLate(kind) ? MAX_LATE_MS : MAX_DELAY_MS),
    answer: kind === "throttle" ? "throttle" : "server",
    entry: (index) => entryFaultOf(seed, number, index),
  };
}

/** @param {FaultKind} kind */
function isLate(kind) {
  return kind === "cutLate" || kind === "duplicate";
}

/**
 * @param {number} seed
 * @param {number} number
 */
function isOutage(seed, number) {
  const block = Math.floor(number / OUTAGE_EVERY);
  const random = randomFor(seed, 2, block);
  const length = between(random, OUTAGE_MIN, OUTAGE_MAX);
  const start = between(random, 200, OUTAGE_EVERY - OUTAGE_MAX);
  const offset = number - block * OUTAGE_EVERY;
  return offset >= start && offset < start + length;
}

/**
 * @param {number} seed
 * @param {number} number
 * @param {number} index
 * @returns {EntryFault | undefined}
 */
function entryFaultOf(seed, number, index) {
  const random = randomFor(seed, 3, number, index);
  if (random() < 0.6) return undefined;
  const isApplied = random() < 0.5;
  const fault = ENTRY_FAULTS[Math.floor(random() * ENTRY_FAULTS.length)] ?? {
    code: "InternalError",
    senderFault: false,
  };
  return { isApplied, ...fault };
}
