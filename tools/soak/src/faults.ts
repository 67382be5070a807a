import { between, pick, randomFor } from "./random.js";

/** What the proxy does to one request. */
export type FaultKind = "none" | keyof typeof RATES;

/** How one entry of a batch is made to fail. */
interface EntryFault {
  /** SQS does it all the same. */
  isApplied: boolean;
  code: string;
  senderFault: boolean;
}

export interface Fault {
  kind: FaultKind;
  /** How long what is late is late. */
  ms: number;
  /** What a refused request is answered. */
  answer: "throttle" | "server";
  /** For `halfFail`. */
  entry: (index: number) => EntryFault | undefined;
}

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

export const NO_FAULT: Fault = { kind: "none", ms: 0, answer: "server", entry: () => undefined };

/** What befalls the nth request: a function of the seed and the number alone. */
export function faultOf(seed: number, number: number): Fault {
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

function isLate(kind: FaultKind): boolean {
  return kind === "cutLate" || kind === "duplicate";
}

function isOutage(seed: number, number: number): boolean {
  const block = Math.floor(number / OUTAGE_EVERY);
  const random = randomFor(seed, 2, block);
  const length = between(random, OUTAGE_MIN, OUTAGE_MAX);
  const start = between(random, 200, OUTAGE_EVERY - OUTAGE_MAX);
  const offset = number - block * OUTAGE_EVERY;
  return offset >= start && offset < start + length;
}

function entryFaultOf(seed: number, number: number, index: number): EntryFault | undefined {
  const random = randomFor(seed, 3, number, index);
  if (random() < 0.6) return undefined;
  const isApplied = random() < 0.5;
  const fault = ENTRY_FAULTS[Math.floor(random() * ENTRY_FAULTS.length)] ?? {
    code: "InternalError",
    senderFault: false,
  };
  return { isApplied, ...fault };
}
