import type { Envelope } from "./envelope.js";

export const URN = "urn:babel:orders:created";
export const TRACE_ID = "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b";
export const MESSAGE_ID = "f1e2d3c4-b5a6-4789-90ab-cdef01234567";
export const CREATED_AT = 1_749_132_727_000;

/** The members of an object, each value as JSON text; `undefined` leaves one out. */
type Members = Readonly<Record<string, string | undefined>>;

const META: Members = {
  id: `"${MESSAGE_ID}"`,
  queue: '"orders"',
  lang: '"node"',
  schema_version: "1",
  created_at: String(CREATED_AT),
};

/** The text of `meta`, with changes. */
export function metaText(changes: Members = {}): string {
  return objectText({ ...META, ...changes });
}

/** The text of a valid envelope, with changes. `'1,"attempts":2'` as a value makes a duplicate. */
export function bodyText(changes: Members = {}): string {
  return objectText({
    job: `"${URN}"`,
    trace_id: `"${TRACE_ID}"`,
    data: '{"order_id":1042}',
    meta: metaText(),
    attempts: "0",
    ...changes,
  });
}

function objectText(members: Members): string {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{${present.map(([key, value]) => `"${key}":${value}`).join(",")}}`;
}

/** The envelope that `bodyText()` is the text of, with changes. */
export function envelopeOf(changes: Readonly<Record<string, unknown>> = {}): Envelope {
  return {
    job: URN,
    trace_id: TRACE_ID,
    data: { order_id: 1042 },
    meta: {
      id: MESSAGE_ID,
      queue: "orders",
      lang: "node",
      schema_version: 1,
      created_at: CREATED_AT,
    },
    attempts: 0,
    ...changes,
  };
}
