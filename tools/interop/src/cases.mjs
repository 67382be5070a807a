// Messages that no handler may get, and every strategy for them: what becomes of each is watched.
import { createEnvelope, encodeEnvelope } from "@babelqueue/core";
import { toMessageAttributes } from "@babelqueue/sqs";
import { TRACEPARENT } from "./messages.mjs";

/** @typedef {import("./party.mjs").Strategy} Strategy */
/** @typedef {{ body: string, attributes: import("./queues.mjs").Attributes, metaId: string, metaQueue: string }} Unhandled */
/**
 * @typedef {object} Case
 * @property {string} name
 * @property {"poison" | "gated" | "unknown"} kind
 * @property {"wrapped" | "spliced" | "verbatim"} copy how its copy is written
 * @property {string | null} identity the URN that a tool for dead letters finds in the copy
 * @property {(metaQueue?: string) => Unhandled} make
 */

/** The one URN that has a handler, which must not be called all the same. */
export const HANDLED = "urn:babel:watch:handled";

/** @type {readonly (Strategy | null)[]} */
export const strategies = [null, "fail", "release", "dead_letter", "delete"];

/**
 * @param {string} urn
 * @param {{ spoil?: (body: string) => string, declared?: string }} [how] `declared`: bq-schema-version
 * @returns {Case["make"]}
 */
function message(urn, { spoil = (body) => body, declared = "1" } = {}) {
  return (metaQueue = "queue-of-the-producer") => {
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
  };
}

/** @type {readonly Case[]} */
export const refused = [
  {
    name: "poison: not JSON",
    kind: "poison",
    copy: "wrapped",
    identity: null,
    make: message(HANDLED, { spoil: (body) => body.slice(0, -1) }),
  },
  {
    name: "poison: no URN",
    kind: "poison",
    copy: "spliced",
    identity: null,
    make: message(HANDLED, { spoil: (body) => body.replace(`"job":"${HANDLED}",`, "") }),
  },
  {
    name: "poison: meta.schema_version 2",
    kind: "poison",
    copy: "spliced",
    identity: HANDLED,
    make: message(HANDLED, {
      spoil: (body) => body.replace('"schema_version":1', '"schema_version":2'),
    }),
  },
  {
    name: "gated: bq-schema-version 2",
    kind: "gated",
    copy: "verbatim",
    identity: HANDLED,
    make: message(HANDLED, { declared: "2" }),
  },
];

const UNKNOWN = "urn:babel:watch:unknown";

/** @type {readonly Case[]} */
export const cases = [
  ...refused,
  {
    name: "unknown URN",
    kind: "unknown",
    copy: "spliced",
    identity: UNKNOWN,
    make: message(UNKNOWN),
  },
];
