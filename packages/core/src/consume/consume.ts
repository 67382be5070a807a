import { requireFunction } from "../arguments.js";
import type { Envelope } from "../envelope/envelope.js";
import { trim } from "../envelope/json.js";
import {
  asError,
  BabelQueueError,
  InvalidArgumentError,
  type PayloadRefusedError,
  UnknownUrnError,
} from "../errors.js";
import {
  type Handler,
  type HandlerContext,
  type Handlers,
  type Routes,
  toRoutes,
} from "../messages/router.js";
import { type Hooks, type ReportHooks, safeHooks } from "../reporter.js";
import { admit } from "./admit.js";
import { deadLetterRefused, deadLetterUnknown } from "./dead-letter-copy.js";
import { wholeSeconds } from "./delay.js";
import type { Consume, ConsumeMiddleware, Delivery, Outcome, Received, Route } from "./delivery.js";
import { requireStrategy, UnknownUrnStrategy } from "./strategy.js";

/** The settlement options that every transport offers (docs/wire-contract.md §4). */
export interface SettlementOptions<TMessage = unknown> extends ReportHooks<TMessage> {
  /** What becomes of a message without a handler. Default `fail`, or, with a hook, the hook's way. */
  readonly unknownUrnStrategy?: UnknownUrnStrategy | undefined;
  /**
   * Told of a message without a handler. With no strategy set the message is deleted once the hook
   * is done, and left if it throws; with one, the hook is a notification.
   */
  readonly onUnknownUrn?: ((envelope: Envelope, message: TMessage) => unknown) | undefined;
  /**
   * How long a message whose handler failed stays hidden, in seconds, or a function of its attempts
   * and of what was thrown. Rounded down, 0 to 43 200; NaN is 0. Default 0.
   */
  readonly releaseDelaySeconds?:
    | number
    | ((attempts: number, error: unknown) => number)
    | undefined;
  /** The same for the strategy `release`. Default 0. */
  readonly unknownUrnReleaseDelaySeconds?: number | undefined;
  /** What integers outside ±(2^53−1) in `data` become. Default `bigint`. */
  readonly largeIntegers?: "bigint" | "number" | undefined;
  /** Around the handling of each message, the first outermost. */
  readonly middleware?: readonly ConsumeMiddleware<TMessage>[] | undefined;
}

export interface ConsumeOptions<TMessage = unknown> extends SettlementOptions<TMessage> {
  /** Has the transport a dead-letter queue to write to? */
  readonly deadLetters: boolean;
}

/**
 * The decisions of the contract as one function: a delivery in, its outcome out. It gates, decodes,
 * finds the handler, runs it and reports; a transport is left to translate and to settle.
 *
 * @throws {@link InvalidArgumentError} for an unknown strategy, or handlers that are no functions.
 */
export function createConsume<TMessage = unknown>(
  handlers: Routes<TMessage> | Handlers<TMessage>,
  options: ConsumeOptions<TMessage>,
): Consume<TMessage> {
  const routes = toRoutes(handlers);
  const { unknownUrnStrategy, middleware = [] } = options;
  if (unknownUrnStrategy !== undefined) requireStrategy(unknownUrnStrategy);
  const reporter = safeHooks(options);
  const route = middleware.reduceRight<Route<TMessage>>(
    (next, wrap) =>
      guard(requireFunction("middleware", "to return a function", wrap(next)), reporter),
    guard((received) => decide(received, routes, options, reporter), reporter),
  );
  const { largeIntegers } = options;
  const decoding = { largeIntegers, onWarning: reporter.warning };
  return (delivery) => route(admit(delivery, decoding));
}

/** A route that never rejects, whatever the middleware it came from does. */
function guard<TMessage>(route: Route<TMessage>, reporter: Hooks<TMessage>): Route<TMessage> {
  return async (received) => {
    try {
      return requireOutcome(await route(received));
    } catch (thrown) {
      await reporter.error(thrown, received.envelope, received.delivery.message);
      return { kind: "leave", envelope: received.envelope, error: asError(thrown) };
    }
  };
}

function requireOutcome(outcome: Outcome | undefined): Outcome {
  switch (outcome?.kind) {
    case "ack":
    case "drop":
    case "leave":
    case "dead-letter":
      return outcome;
    case "release":
      return { ...outcome, delaySeconds: wholeSeconds(outcome.delaySeconds) };
    case undefined:
    default:
      throw new InvalidArgumentError("middleware", "it must return an outcome, as next does");
  }
}

function decide<TMessage>(
  { delivery, envelope, refusal }: Received<TMessage>,
  routes: Routes<TMessage>,
  options: ConsumeOptions<TMessage>,
  reporter: Hooks<TMessage>,
): Promise<Outcome> {
  if (refusal !== null) return settleRefused(delivery, refusal, options, reporter);
  if (envelope === null) throw new TypeError("No envelope");
  const handler = routes.handlerFor(trim(envelope.job));
  return handler === undefined
    ? settleUnknown(delivery, envelope, options, reporter)
    : handle(handler as Handler<unknown, TMessage>, delivery, envelope, options, reporter);
}

/**
 * Poison and gated messages, and those whose payload does not fit the schema of their URN: settled on
 * the first delivery, never handled, never retried. Without a dead-letter queue the redrive policy is
 * the safety net, unless the strategy says `delete`.
 */
async function settleRefused<TMessage>(
  delivery: Delivery<TMessage>,
  error: Error,
  { unknownUrnStrategy, deadLetters }: ConsumeOptions<TMessage>,
  reporter: Hooks<TMessage>,
): Promise<Outcome> {
  await reporter.error(error, null, delivery.message);
  if (unknownUrnStrategy === UnknownUrnStrategy.DELETE) {
    return { kind: "drop", envelope: null, error };
  }
  return deadLetters
    ? deadLetterRefused(delivery, error)
    : { kind: "leave", envelope: null, error };
}

async function settleUnknown<TMessage>(
  delivery: Delivery<TMessage>,
  envelope: Envelope,
  options: ConsumeOptions<TMessage>,
  reporter: Hooks<TMessage>,
): Promise<Outcome> {
  const { message } = delivery;
  const { onUnknownUrn, unknownUrnStrategy: strategy } = options;
  const error = new UnknownUrnError(trim(envelope.job));
  try {
    await onUnknownUrn?.(envelope, message);
  } catch (thrown) {
    await reporter.error(thrown, envelope, message);
    if (strategy === undefined) return { kind: "leave", envelope, error: asError(thrown) };
  }
  switch (strategy ?? (onUnknownUrn ? "delete" : "fail")) {
    case "fail":
      await reporter.error(error, envelope, message);
      return { kind: "leave", envelope, error };
    case "delete":
      return { kind: "drop", envelope, error };
    case "release": {
      const delaySeconds = wholeSeconds(options.unknownUrnReleaseDelaySeconds);
      return { kind: "release", envelope, delaySeconds, error };
    }
    case "dead_letter":
      return options.deadLetters
        ? deadLetterUnknown(delivery, envelope, error)
        : { kind: "drop", envelope, error };
  }
}

async function handle<TMessage>(
  handler: Handler<unknown, TMessage>,
  delivery: Delivery<TMessage>,
  envelope: Envelope,
  options: ConsumeOptions<TMessage>,
  reporter: Hooks<TMessage>,
): Promise<Outcome> {
  const { message } = delivery;
  // read on demand, as a transport may make them on demand
  const context: HandlerContext = {
    get headers() {
      return delivery.headers;
    },
    get signal() {
      return delivery.signal;
    },
  };
  try {
    await handler(envelope, message, context);
    return { kind: "ack", envelope };
  } catch (thrown) {
    const error = asError(thrown);
    // of this very message: a handler may have given another one to a handler
    if (
      error instanceof BabelQueueError &&
      error.code === "payload_refused" &&
      (error as PayloadRefusedError).id === envelope.meta.id
    ) {
      return settleRefused(delivery, error, options, reporter);
    }
    await reporter.error(thrown, envelope, message);
    const { releaseDelaySeconds: delay } = options;
    let seconds: unknown;
    try {
      seconds = await Promise.resolve(
        typeof delay === "function" ? delay(envelope.attempts, thrown) : delay,
      );
    } catch (failure) {
      await reporter.error(failure, envelope, message);
    }
    const delaySeconds = wholeSeconds(seconds);
    return { kind: "release", envelope, delaySeconds, error };
  }
}
