import {
  createEnvelope,
  type Envelope,
  type Outbound,
  type Outcome,
  type Received,
} from "@babelqueue/core";

export const URN = "urn:babel:orders:created";

/** A message on its way out, of a broker that carries any number of headers. */
export const OUTBOUND: Outbound = {
  envelope: createEnvelope(URN, {}),
  headers: {},
  system: "memory",
  queue: "orders",
  traceIdGiven: false,
};

/** A message that came in, from a broker that gives messages no ids, without a trace context. */
export const RECEIVED: Received & { readonly envelope: Envelope } = {
  delivery: {
    body: "",
    headers: {},
    system: "memory",
    queue: "orders",
    message: undefined,
    signal: new AbortController().signal,
  },
  envelope: createEnvelope(URN, {}),
  refusal: null,
};

export const ACK: Outcome = { kind: "ack", envelope: RECEIVED.envelope };
