/** A `trace_id`, and the parent that every SDK derives from it (docs/wire-contract.md §5). */
export const TRACE_ID = "c41f09aa-8d27-4b6e-b0f5-2a9d13e7760b";
export const DERIVED = {
  traceId: "c41f09aa8d274b6eb0f52a9d13e7760b",
  spanId: "356ff08d42a2899d",
} as const;

/** The span of a producer elsewhere, and what it writes. */
export const PRODUCER = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  traceFlags: 1,
} as const;
export const TRACEPARENT: string = `00-${PRODUCER.traceId}-${PRODUCER.spanId}-01`;
