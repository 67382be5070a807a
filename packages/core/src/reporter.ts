import type { Envelope } from "./envelope.js";
import { BabelQueueError } from "./errors.js";
import { emitProcessWarning, type Warning } from "./warning.js";

export interface ReportHooks<TMessage = unknown> {
  /**
   * Told of everything that went wrong: what a handler threw, as it was; a message refused; a
   * settlement that failed. `envelope` is null where the message was refused, both are null where
   * no message is concerned. Default: a process warning.
   */
  readonly onError?:
    | ((error: unknown, envelope: Envelope | null, message: TMessage | null) => unknown)
    | undefined;
  /** Told of everything that was put right on the way. Default: a process warning. */
  readonly onWarning?: ((warning: Warning) => unknown) | undefined;
}

/** Calls the user's hooks. Neither of its functions throws or rejects. */
export interface Reporter<TMessage = unknown> {
  readonly error: (
    error: unknown,
    envelope: Envelope | null,
    message: TMessage | null,
  ) => Promise<void>;
  readonly warning: (warning: Warning) => void;
}

/**
 * Hooks that cannot break what calls them: a missing one becomes a process warning, and so does one
 * that throws or rejects. For transports, which report what settling a message comes to.
 */
export function createReporter<TMessage>(hooks: ReportHooks<TMessage>): Reporter<TMessage> {
  const { onError, onWarning } = hooks;
  return {
    async error(error, envelope, message) {
      if (onError === undefined) return emitProcessWarning(summaryOf(error), codeOf(error));
      try {
        await onError(error, envelope, message);
      } catch (failure) {
        warnOfHook("onError", failure);
        emitProcessWarning(summaryOf(error), codeOf(error));
      }
    },
    warning(warning) {
      if (onWarning === undefined) return emitProcessWarning(warning.message, warning.code);
      try {
        Promise.resolve(onWarning(warning)).catch((failure: unknown) => {
          warnOfHook("onWarning", failure);
        });
      } catch (failure) {
        warnOfHook("onWarning", failure);
      }
    },
  };
}

function warnOfHook(hook: string, failure: unknown): void {
  emitProcessWarning(`The ${hook} hook failed: ${summaryOf(failure)}`, "hook_failed");
}

/**
 * Only our own messages are known to hold no payload; of any other error the name must do. Reading
 * either may throw: anything can be thrown, a Proxy too.
 */
function summaryOf(error: unknown): string {
  try {
    if (error instanceof BabelQueueError) return `${error.name}: ${error.message}`;
    const kind = error instanceof Error ? error.name : "something that is no Error";
    return `${kind} was thrown; its message may hold personal data, so only onError is shown it.`;
  } catch {
    return "Something was thrown that cannot be read.";
  }
}

function codeOf(error: unknown): string {
  try {
    return error instanceof BabelQueueError ? error.code : "handler_failed";
  } catch {
    return "handler_failed";
  }
}
