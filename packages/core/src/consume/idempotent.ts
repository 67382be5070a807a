import { requireFunction } from "../arguments.js";
import type { Envelope } from "../envelope/envelope.js";
import { isNonBlank, type JsonObject } from "../envelope/json.js";
import { InvalidArgumentError, NotRememberedError } from "../errors.js";
import type { Handler } from "../messages/router.js";
import { type ReportHooks, safeHooks } from "../reporter.js";

/** The ids of the messages that were handled. Each function may be asynchronous. */
export interface IdempotencyStore {
  /** Was this id remembered, and neither forgotten nor grown too old? */
  seen(id: string): boolean | PromiseLike<boolean>;
  /** Called once the handler has succeeded. */
  remember(id: string): unknown;
  /** For you to call, so that a message can be handled again. {@link idempotent} never does. */
  forget(id: string): unknown;
}

export interface IdempotentOptions<TMessage = unknown> {
  /**
   * Told that a handled message could not be remembered, with a {@link NotRememberedError}. Takes
   * the same function as a consumer's `onError`. Default: a process warning.
   */
  readonly onError?: ReportHooks<TMessage>["onError"];
}

const FUNCTIONS = ["seen", "remember", "forget"] as const;

/**
 * A handler that skips a message whose `meta.id` it has handled, so that the duplicate is
 * acknowledged. The id is remembered when the handler has succeeded; a throw leaves it unmarked. A
 * message without a usable id (missing, blank, no string) is handled each time.
 *
 * It makes duplicates rare, and promises no more than that: two deliveries of a message at the same
 * time are both handled, and so is one whose first handling ended between its effect and
 * `remember`. Where that is too much, write the id in the transaction of the effect instead.
 *
 * A `seen` that throws fails the message before its handler runs, so it is released and tried again.
 * A `remember` that throws does not, for the effect is done: the message is acknowledged, and
 * `onError` is told.
 *
 * @throws {@link InvalidArgumentError} unless the handler is a function and the store has its three.
 */
export function idempotent<TData = JsonObject, TMessage = unknown>(
  handler: Handler<TData, TMessage>,
  store: IdempotencyStore,
  options: IdempotentOptions<TMessage> = {},
): Handler<TData, TMessage> {
  requireFunction("handler", "a function", handler);
  requireStore(store);
  const reporter = safeHooks<TMessage>({ onError: options.onError });
  return async (envelope, message, context) => {
    // nothing checks a received id
    const { id } = envelope.meta;
    if (!isNonBlank(id)) return handler(envelope, message, context);
    if (await store.seen(id)) return undefined;
    const returned = await handler(envelope, message, context);
    try {
      await store.remember(id);
    } catch (cause) {
      const error = new NotRememberedError(id, { cause });
      await reporter.error(error, envelope as Envelope, message);
    }
    return returned;
  };
}

function requireStore(store: unknown): void {
  const found = (store ?? {}) as Partial<IdempotencyStore>;
  const missing = FUNCTIONS.filter((name) => typeof found[name] !== "function");
  if (missing.length === 0) return;
  throw new InvalidArgumentError("store", `it lacks the functions ${missing.join(", ")}`);
}
