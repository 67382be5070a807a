// Messages that no handler may get, and every strategy for them: what becomes of each is watched.
import { createEnvelope, encodeEnvelope } from "@babelqueue/core";
import { toMessageAttributes } from "@babelqueue/sqs";
import { TRACEPARENT } from "./messages.mjs";

/** @typedef {import("./party.mjs").Strategy} Strategy */
/** @typedef {{ body: string, attributes: import("./queues.mjs").Attributes, metaId: string, metaQueue: string }} Unhandled */

/** The one URN that has a handler, which must not be called all the same. */
export const HANDLED = "urn:babel:watch:handled";

/** @type {readonly (Strategy | null)[]} */
export const strategies = [null, "fail", "release", "dead_letter", "delete"];

/**
 * @param {string} urn
 * @param {(body: string) => string} [spoil]
 * @param {string} [declared] bq-schema-version
 * @returns {Unhandled}
 */
function message(urn, spoil = (body) => body, declared = "1") {
  const metaQueue = "queue-of-the-producer";
  const envelope = createEnvelope(urn, { total: 0 }, { queue: metaQueue });
  const attributes = toMessageAttributes(envelope, { traceparent: TRACEPARENT, tenant: "acme" });
  return {
    // bytes that only an SDK which writes nothing anew keeps
    body: spoil(encodeEnvelope(envelope).replace('"total":0', '"total":99.90')),
    attributes: {
      ...attributes,
      "bq-schema-version": { DataType: "Number", StringValue: declared },
    },
    metaId: envelope.meta.id,
    metaQueue,
  };
}

/** @type {readonly { name: string, kind: "refused" | "unknown", make: () => Unhandled }[]} */
export const cases = [
  {
    name: "poison: not JSON",
    kind: "refused",
    make: () => message(HANDLED, (body) => body.slice(0, -1)),
  },
  {
    name: "poison: no URN",
    kind: "refused",
    make: () => message(HANDLED, (body) => body.replace(`"job":"${HANDLED}",`, "")),
  },
  {
    name: "poison: meta.schema_version 2",
    kind: "refused",
    make: () =>
      message(HANDLED, (body) => body.replace('"schema_version":1', '"schema_version":2')),
  },
  {
    name: "gated: bq-schema-version 2",
    kind: "refused",
    make: () => message(HANDLED, undefined, "2"),
  },
  { name: "unknown URN", kind: "unknown", make: () => message("urn:babel:watch:unknown") },
];
