import { inspect } from "node:util";
import {
  BabelQueueError,
  type Consume,
  type ConsumeOptions,
  createConsume,
  type DeadLetter,
  type Delivery,
  type Envelope,
  type Outcome,
  type Routes,
  UrnRouter,
} from "../index.js";
import { bodyText, CREATED_AT, URN } from "./texts.fixture.js";

export {
  bodyText,
  CREATED_AT,
  envelopeOf,
  MESSAGE_ID,
  metaText,
  TRACE_ID,
  URN,
} from "./texts.fixture.js";

export const BLOCK: DeadLetter = {
  reason: "unknown_urn",
  error: null,
  exception: null,
  failed_at: CREATED_AT,
  original_queue: "orders",
  attempts: 3,
  lang: "node",
};

/** Nested `depth` levels deep: `{"d":{"d":…{}…}}`. */
export function nestedText(depth: number): string {
  return `${'{"d":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;
}

/** A broker's own message. */
export const NATIVE = { receipt: "handle" };
export type Native = typeof NATIVE;

export function deliveryOf(changes: Partial<Delivery<Native>> = {}): Delivery<Native> {
  return {
    body: bodyText(),
    headers: {},
    system: "memory",
    queue: "orders",
    message: NATIVE,
    signal: new AbortController().signal,
    ...changes,
  };
}

/** A consumer that writes down what it reports, and in what order handler and hooks are called. */
export interface Probe {
  readonly consume: Consume<Native>;
  readonly handled: Envelope[];
  /** The arguments of each call of `onError`. */
  readonly reported: unknown[][];
}

export function probe(
  options: Partial<ConsumeOptions<Native>> = {},
  handle: (envelope: Envelope) => unknown = () => undefined,
): Probe {
  const handled: Envelope[] = [];
  const reported: unknown[][] = [];
  const routes: Routes<Native> = new UrnRouter<Native>().on(URN, (envelope) => {
    handled.push(envelope);
    return handle(envelope);
  });
  const consume = createConsume<Native>(routes, {
    deadLetters: false,
    onError: (...call) => reported.push(call),
    ...options,
  });
  return { consume, handled, reported };
}

/** The error of an outcome, which all but `ack` may have. */
export function errorOf(outcome: Outcome): Error | undefined {
  return outcome.kind === "ack" ? undefined : outcome.error;
}

/** What `action` throws. */
function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("Expected it to throw");
}

/** The error of ours that `action` throws, as a record to be matched. */
export function failureOf(action: () => unknown): BabelQueueError {
  const thrown = thrownBy(action);
  if (thrown instanceof BabelQueueError) return thrown;
  throw new Error(`Expected an error of the family, got ${inspect(thrown)}`);
}

interface Observed<T> {
  readonly result: T;
  readonly warnings: NodeJS.ErrnoException[];
  readonly unhandled: unknown[];
}

/** Runs `action`, and sees which process warnings and unhandled rejections come of it. */
export async function observe<T>(action: () => T): Promise<Observed<Awaited<T>>> {
  const warnings: NodeJS.ErrnoException[] = [];
  const unhandled: unknown[] = [];
  const onWarning = (warning: Error): unknown => warnings.push(warning);
  const onUnhandled = (reason: unknown): unknown => unhandled.push(reason);
  // Node's own listener would print them
  const others = process.listeners("warning");
  process.removeAllListeners("warning").on("warning", onWarning);
  process.on("unhandledRejection", onUnhandled);
  try {
    const result = await action();
    // both are told once the microtasks are through
    await new Promise((resolve) => setImmediate(resolve));
    return { result, warnings, unhandled };
  } finally {
    process.off("unhandledRejection", onUnhandled).off("warning", onWarning);
    for (const listener of others) process.on("warning", listener);
  }
}

/** Everything that an error shows: message, stack, own properties, causes, its JSON. */
export function shownBy(error: unknown): string {
  return `${inspect(error, { depth: null, showHidden: true })} ${JSON.stringify(error)}`;
}

/** A payload that no error and no warning may show. */
export const SECRET = "alice@example.com";
export const SECRET_NUMBER = "4111111111111111";
