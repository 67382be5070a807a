import { between, pick, randomFor } from "./random.js";

/** The URN that consumers know, and one that they do not. */
export const URN = "urn:babel:soak:work";
export const UNKNOWN_URN = "urn:babel:soak:unknown";

type Kind = "plain" | "slow" | "long" | "flaky" | "block" | "hopeless" | "unknown" | "poison";

/** The `data` of a message: what its handler is to do. */
export type Work = {
  n: number;
  kind: Kind;
  /** How long the handler works. */
  ms: number;
  /** How often it throws before it succeeds. */
  failures: number;
};

const WEIGHTS = {
  slow: 0.05,
  /** Longer than the visibility timeout. */
  long: 0.002,
  /** Throws once or twice. */
  flaky: 0.05,
  /** Lets nothing else happen in its process for longer than the shortest timeout. */
  block: 0.0002,
  /** Always throws, and ends in the dead-letter queue by redrive. */
  hopeless: 0.0005,
  /** No handler: copied to the dead-letter queue. */
  unknown: 0.002,
  /** A schema version that no consumer takes: copied to the dead-letter queue. */
  poison: 0.001,
};
/** Each kind occurs in a short run too. */
const FIRST = ["slow", "long", "flaky", "hopeless", "unknown", "poison", "block"] as const;

/** What the nth message of a queue asks for; decided by the seed. */
export function workOf(seed: number, queue: number, n: number): Work {
  const random = randomFor(seed, 4, queue, n);
  const kind = FIRST[n / 100] ?? pick(random(), WEIGHTS, "plain");
  const isSlow = kind === "slow";
  return {
    n,
    kind,
    ms: isSlow ? between(random, 50, 700) : Math.max(0, between(random, -10, 10)),
    failures: kind === "flaky" ? between(random, 1, 2) : 0,
  };
}
