import { requireFunction, requireRecord } from "../arguments.js";
import type { Envelope } from "../envelope/envelope.js";
import type { JsonObject } from "../envelope/json.js";
import { requireUrn } from "../envelope/urn.js";
import { InvalidArgumentError } from "../errors.js";
import type { Headers } from "../headers.js";
import { type MessageDefinition, validatorIn } from "./message.js";
import type { InferOutput, StandardSchema } from "./standard-schema.js";
import type { Validator } from "./validation.js";

/** What a handler is told besides the message. */
export interface HandlerContext {
  /** What rode beside the envelope, such as a `traceparent`. */
  readonly headers: Readonly<Headers>;
  /** Aborted when the hold on the message is lost: what is done from then on may be done twice. */
  readonly signal: AbortSignal;
}

/**
 * Handles the messages of one URN. Returning (or resolving) acknowledges the message; throwing (or
 * rejecting) releases it, to be delivered again. It may see a message more than once.
 */
export type Handler<TData = JsonObject, TMessage = unknown> = (
  envelope: Envelope<TData>,
  message: TMessage,
  context: HandlerContext,
) => unknown;

/**
 * Handlers by URN, as a plain record. One that says nothing of its types is given a
 * {@link JsonObject}; for a type of your own, `on` takes it as a parameter.
 */
export type Handlers<TMessage = unknown> = Readonly<
  // a method's parameters are compared both ways, so a handler may name the shape of its data
  Record<string, { handle(...args: Parameters<Handler<JsonObject, TMessage>>): unknown }["handle"]>
>;

/** All that a consumer needs to know of a router. */
export interface Routes<TMessage = unknown> {
  handlerFor(urn: string): Handler<never, TMessage> | undefined;
}

const ROUTER = Symbol.for("babelqueue.router");
const isInstance = Function.prototype[Symbol.hasInstance];

/**
 * Finds the handler of a URN. A router whose handlers use no native message (`TMessage` is
 * `unknown`) serves any transport. `instanceof` also holds for a router of another copy of this
 * package (an ESM and a CJS build in one process).
 */
export class UrnRouter<TMessage = unknown> implements Routes<TMessage> {
  static {
    Object.defineProperty(this.prototype, ROUTER, { value: true });
  }

  readonly #handlers = new Map<string, Handler<never, TMessage>>();

  static [Symbol.hasInstance](value: unknown): boolean {
    return isInstance.call(this, value) || (this === UrnRouter && ROUTER in Object(value));
  }

  /**
   * A router of the record's own members, URN to handler.
   *
   * @throws {@link InvalidArgumentError} as `on`, and for anything but a record.
   */
  static from<TMessage = unknown>(handlers: Handlers<TMessage>): UrnRouter<TMessage> {
    requireRecord("handlers", "a record of functions by URN", handlers);
    const router = new UrnRouter<TMessage>();
    for (const [urn, handler] of Object.entries(handlers)) router.on(urn, handler);
    return router;
  }

  /**
   * Registers the one handler of a URN. `TData` is what its producers send; nothing checks it.
   *
   * @throws {@link InvalidArgumentError} if the URN is blank or has a handler already.
   */
  on<TData = JsonObject>(urn: string, handler: Handler<TData, TMessage>): this;
  /**
   * Registers the one handler of a defined kind of message. It is given the schema's output. A
   * payload that does not fit can never succeed: it is settled as poison (docs/wire-contract.md §4), with a
   * {@link PayloadRefusedError}. A schema that throws fails as a handler does.
   *
   * @throws {@link InvalidArgumentError} if the URN has a handler already.
   */
  on<TSchema extends StandardSchema>(
    definition: MessageDefinition<TSchema>,
    handler: Handler<InferOutput<TSchema>, TMessage>,
  ): this;
  on(message: string | MessageDefinition, handler: Handler<never, TMessage>): this {
    const validator = validatorIn(message);
    const urn = requireUrn(validator?.urn ?? message);
    requireFunction("handler", `a function for ${urn}`, handler);
    if (this.#handlers.has(urn)) {
      throw new InvalidArgumentError("urn", `${urn} has a handler`);
    }
    this.#handlers.set(urn, validator === undefined ? handler : validated(validator, handler));
    return this;
  }

  handlerFor(urn: string): Handler<never, TMessage> | undefined {
    return this.#handlers.get(urn);
  }
}

/** A router as it is, or one of a record of handlers. */
export function toRoutes<TMessage>(
  handlers: Routes<TMessage> | Handlers<TMessage>,
): Routes<TMessage> {
  return isRoutes(handlers) ? handlers : UrnRouter.from(handlers);
}

function isRoutes<TMessage>(
  handlers: Routes<TMessage> | Handlers<TMessage>,
): handlers is Routes<TMessage> {
  return typeof (handlers as Partial<Routes<TMessage>> | undefined)?.handlerFor === "function";
}

/** A handler of what the schema makes of the payload; the rest of the envelope is as received. */
function validated<TMessage>(
  validator: Validator,
  handler: Handler<never, TMessage>,
): Handler<unknown, TMessage> {
  return async (envelope, message, context) => {
    const data = (await validator.outputOf(envelope)) as never;
    return handler({ ...envelope, data }, message, context);
  };
}
