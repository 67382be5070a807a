import type { Envelope } from "./envelope/envelope.js";
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

/** Calls the user's hooks. None of its functions throws or rejects. */
export interface Reporter<TMessage = unknown> {
  readonly error: (
    error: unknown,
    envelope: Envelope | null,
    message: TMessage | null,
  ) => Promise<void>;
  readonly warning: (warning: Warning) => void;
  /** Resolves when the `onError` hooks that run now are done. */
  readonly idle: () => Promise<void>;
}

/** A reporter, for who need not know when its hooks are done. */
export type Hooks<TMessage> = Pick<Reporter<TMessage>, "error" | "warning">;

/**
 * Hooks that cannot break what calls them: a missing one becomes a process warning, and so does one
 * that throws or rejects. For transports, which report what settling a message comes to.
 */
export function createReporter<TMessage>(options: ReportHooks<TMessage>): Reporter<TMessage> {
  const { error, warning } = safeHooks(options);
  const running = new Set<Promise<void>>();
  return {
    error(...report) {
      const told = error(...report).finally(() => running.delete(told));
      running.add(told);
      return told;
    },
    warning,
    async idle() {
      await Promise.all(running);
    },
  };
}

export function safeHooks<TMessage>(options: ReportHooks<TMessage>): Hooks<TMessage> {
  const onError = options.onError ?? emitFailure;
  const onWarning = options.onWarning ?? emitProcessWarning;
  return {
    async error(error, envelope, message) {
      try {
        await onError(error, envelope, message);
      } catch (failure) {
        emitHookFailure("onError", failure);
        emitFailure(error);
      }
    },
    warning(warning) {
      const told = (async () => onWarning(warning))();
      told.catch((failure: unknown) => emitHookFailure("onWarning", failure));
    },
  };
}

function emitFailure(error: unknown): void {
  emitProcessWarning(warningOf(error));
}

function emitHookFailure(hook: string, failure: unknown): void {
  const message = `The ${hook} hook failed: ${warningOf(failure).message}`;
  emitProcessWarning({ code: "hook_failed", message });
}

/**
 * Only our own messages are known to hold no payload; of any other error the name must do. Reading
 * either may throw: anything can be thrown, a Proxy too.
 */
function warningOf(error: unknown): Warning {
  let what = "Something that is no Error";
  try {
    if (error instanceof BabelQueueError) {
      return { code: error.code, message: `${error.name}: ${error.message}` };
    }
    if (error instanceof Error) what = error.name;
  } catch {}
  const message = `${what} was thrown. It may be personal data, and is not shown.`;
  return { code: "handler_failed", message };
}
