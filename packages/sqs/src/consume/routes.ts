import type { Message } from "@aws-sdk/client-sqs";
import { type Handlers, type Routes, UrnRouter } from "@babelqueue/core";

/** A router as it is, or one of a record of handlers. */
export function toRoutes(handlers: Routes<Message> | Handlers<Message>): Routes<Message> {
  return isRoutes(handlers) ? handlers : UrnRouter.from(handlers);
}

function isRoutes(handlers: Routes<Message> | Handlers<Message>): handlers is Routes<Message> {
  return typeof (handlers as Partial<Routes<Message>> | undefined)?.handlerFor === "function";
}
