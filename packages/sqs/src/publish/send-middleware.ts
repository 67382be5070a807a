import {
  InvalidArgumentError,
  type Send,
  type SendMiddleware,
  type SendResult,
} from "@babelqueue/core";

/** `send` within the middleware, the first outermost. Never rejects, and answers each message. */
export function withMiddleware(middleware: readonly SendMiddleware[], send: Send): Send {
  return middleware.reduceRight<Send>((next, wrap) => guard(requireSend(wrap(next))), send);
}

function requireSend(send: Send): Send {
  if (typeof send === "function") return send;
  throw new InvalidArgumentError("middleware", "it must return a function");
}

function guard(send: Send): Send {
  return async (batch) => {
    try {
      const results: unknown = await send(batch);
      if (Array.isArray(results) && results.length === batch.length) {
        return results as readonly SendResult[];
      }
      throw new InvalidArgumentError("middleware", "it must return one result a message, in order");
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error("Not sent", { cause: thrown });
      return batch.map(() => ({ ok: false, error }));
    }
  };
}
