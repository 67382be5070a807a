import { requireRecord } from "../arguments.js";
import type { Envelope } from "../envelope/envelope.js";
import { InvalidArgumentError } from "../errors.js";
import type { Destination, Outbound, SendFields } from "./outbound.js";

/** Where the options of a message ride on its {@link Outbound}; a spread copies it. */
const OPTIONS: unique symbol = Symbol.for("babelqueue.sendOptions");

interface Addressed extends Outbound {
  readonly [OPTIONS]: unknown;
}

/** @throws {@link InvalidArgumentError} for headers that are no record. */
export function toOutbound(
  envelope: Envelope<object>,
  options: SendFields,
  to: Destination,
  traceIdGiven: boolean,
): Outbound {
  const { headers = {} } = options;
  requireRecord("headers", "a plain object of strings", headers);
  const addressed: Addressed = {
    envelope: envelope as Envelope,
    headers,
    system: to.system,
    queue: to.queue,
    traceIdGiven,
    headerLimit: to.headerLimit,
    [OPTIONS]: options,
  };
  return addressed;
}

/** @throws {@link InvalidArgumentError} for an outbound that a middleware made up. */
export function optionsOf(outbound: Outbound): unknown {
  if (OPTIONS in outbound) return (outbound as Addressed)[OPTIONS];
  const problem = "it must pass on the messages it was given, or spread copies of them";
  throw new InvalidArgumentError("middleware", problem);
}
