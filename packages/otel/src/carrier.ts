import type { TextMapGetter } from "@opentelemetry/api";

/** A header as a record of AWS has it: of the SDK in upper case, of a Lambda event in lower case. */
export interface HeaderAttribute {
  readonly StringValue?: string | undefined;
  readonly stringValue?: string | undefined;
}

/** Where a trace context is read from: headers, or the attributes of an SQS message or record. */
export type HeaderCarrier = Readonly<Record<string, string | HeaderAttribute | undefined>>;

/**
 * Reads headers for a propagator. Names are matched in any case, as HTTP's are: the B3 of some
 * languages writes `X-B3-TraceId`, that of others reads `x-b3-traceid`.
 */
export const CARRIER_GETTER: TextMapGetter<HeaderCarrier> = {
  keys: (carrier) => Object.keys(carrier),
  get(carrier, key) {
    if (Object.hasOwn(carrier, key)) return textOf(carrier[key]);
    const name = key.toLowerCase();
    const match = Object.keys(carrier).find((candidate) => candidate.toLowerCase() === name);
    return match === undefined ? undefined : textOf(carrier[match]);
  },
};

function textOf(value: string | HeaderAttribute | undefined): string | undefined {
  return typeof value === "object" ? (value.StringValue ?? value.stringValue) : value;
}
