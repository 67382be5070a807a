import { type Envelope, InvalidArgumentError, type Outbound } from "@babelqueue/core";
import { HEADER_LIMIT } from "../wire/attributes.js";
import type { SendOptions } from "../wire/outgoing.js";
import { type Queue, SYSTEM } from "../wire/queue.js";

/** Where a transport keeps what is its own on an {@link Outbound}; a spread copies it. */
const OPTIONS: unique symbol = Symbol("sqs.sendOptions");

/** A message as it passes through a publisher's middleware. */
export interface SqsOutbound extends Outbound {
  readonly [OPTIONS]: SendOptions;
}

export function toOutbound(
  envelope: Envelope<object>,
  options: SendOptions,
  queue: Queue,
  traceIdGiven: boolean,
): SqsOutbound {
  const { headers = {} } = options;
  requireRecord(headers);
  return {
    envelope: envelope as Envelope,
    headers,
    system: SYSTEM,
    queue: queue.name,
    traceIdGiven,
    headerLimit: HEADER_LIMIT,
    [OPTIONS]: options,
  };
}

/** A Map, or the Headers of fetch, has no entries of its own: all of them would be lost. */
function requireRecord(headers: unknown): void {
  if (typeof headers === "object" && headers !== null && !(Symbol.iterator in headers)) return;
  throw new InvalidArgumentError("headers", "expected a plain object of strings");
}

/** @throws {@link InvalidArgumentError} for an outbound that a middleware made up. */
export function optionsOf(outbound: Outbound): SendOptions {
  if (OPTIONS in outbound) return (outbound as SqsOutbound)[OPTIONS];
  const problem = "it must pass on the messages it was given, or spread copies of them";
  throw new InvalidArgumentError("middleware", problem);
}
