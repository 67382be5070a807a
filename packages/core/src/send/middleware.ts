import { requireFunction } from "../arguments.js";
import { asError, InvalidArgumentError } from "../errors.js";
import type { Send, SendMiddleware, SendResult } from "./outbound.js";

/** `send` within the middleware, the first outermost. Never rejects, and answers each message. */
export function withMiddleware(middleware: readonly SendMiddleware[], send: Send): Send {
  return middleware.reduceRight<Send>(
    (next, wrap) => guard(requireFunction("middleware", "to return a function", wrap(next))),
    send,
  );
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
      const error = asError(thrown);
      return batch.map(() => ({ ok: false, error }));
    }
  };
}
