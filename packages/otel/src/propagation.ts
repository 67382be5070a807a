import type { Headers } from "@babelqueue/core";
import {
  type Context,
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  type TextMapPropagator,
  type TextMapSetter,
  trace,
} from "@opentelemetry/api";
import { CARRIER_GETTER, type HeaderCarrier } from "./carrier.js";
import { parentOf } from "./trace-id.js";

/**
 * The headers with the context written into a copy of them, by the globally registered propagator;
 * without one, just a copy. What it writes replaces headers of the same name, and what they say
 * besides it of another trace.
 *
 * @param from - Default: the active context.
 */
export function injectContext(
  headers: Readonly<Headers>,
  from: Context = context.active(),
): Headers {
  return inject(headers, from, propagation).headers;
}

/**
 * The context that a message was sent in, as the globally registered propagator reads it, in the
 * root context: its span is the parent of what is done with the message. Give the `trace_id`, and
 * without a valid one the parent is derived from that (docs/wire-contract.md §5). `headers` may also be the
 * attributes of a Lambda record (`record.messageAttributes`) or of an SQS message.
 */
export function extractContext(headers: HeaderCarrier, traceId?: string): Context {
  return extract(headers, traceId, propagation).parent;
}

export interface Extraction {
  /** With the span context of the producer, with a derived one, or with none. */
  readonly parent: Context;
  /** What the headers name; undefined where the parent is derived, or none. */
  readonly producer: SpanContext | undefined;
}

export function extract(
  headers: HeaderCarrier,
  traceId: string | undefined,
  propagator: TextMapPropagator,
): Extraction {
  // from the root: what surrounds the consumer is not what the message was sent in
  const extracted = propagator.extract(ROOT_CONTEXT, headers, CARRIER_GETTER);
  const producer = trace.getSpanContext(extracted);
  if (producer !== undefined && isSpanContextValid(producer)) {
    return { parent: extracted, producer };
  }
  const derived = traceId === undefined ? undefined : parentOf(traceId);
  const parent =
    derived === undefined ? trace.deleteSpan(extracted) : trace.setSpanContext(extracted, derived);
  return { parent, producer: undefined };
}

export interface Injection {
  readonly headers: Headers;
  /** The names of headers that there was no room for. */
  readonly leftOut: readonly string[];
}

/**
 * Writes the context into a copy of the headers, as far as there is room. `traceparent` comes before
 * the caller's headers, as docs/wire-contract.md §2 ranks it; everything else takes what they leave, baggage
 * last. Keys that mean something only together are written together or not at all.
 */
export function inject(
  headers: Readonly<Headers>,
  from: Context,
  propagator: TextMapPropagator,
  limit: number = Number.POSITIVE_INFINITY,
): Injection {
  const families = written(from, propagator);
  if (families.size === 0) return { headers: { ...headers }, leftOut: [] };
  const own = withoutStale(headers, families, propagator.fields());
  let room = limit - Object.values(own).filter(isSent).length;
  const injected: Headers = {};
  const leftOut: string[] = [];
  for (const entries of inOrder(families)) {
    const isFirst = entries.some(([name]) => name === TRACEPARENT) && limit > 0;
    if (isFirst || entries.length <= room) {
      Object.assign(injected, Object.fromEntries(entries));
      room -= entries.length;
    } else {
      leftOut.push(...entries.map(([name]) => name));
    }
  }
  return { headers: { ...own, ...injected }, leftOut };
}

const TRACEPARENT = "traceparent";
const TRACESTATE = "tracestate";

type Entry = readonly [name: string, value: string];

/** Keys that mean something only together, by the name of their family. */
type Families = Map<string, Entry[]>;

/**
 * What the propagator writes, into a record of its own: whatever of it cannot be sent is not in the
 * headers then. A `tracestate` that was dropped on the way is written as "", and SQS refuses the
 * whole message for that.
 */
function written(from: Context, propagator: TextMapPropagator): Families {
  const scratch: Headers = {};
  propagator.inject(from, scratch, SETTER);
  if (!Object.hasOwn(scratch, TRACEPARENT)) delete scratch[TRACESTATE];
  const families: Families = new Map();
  for (const entry of Object.entries(scratch)) {
    const family = familyOf(entry[0]);
    const members = families.get(family);
    if (members === undefined) families.set(family, [entry]);
    else members.push(entry);
  }
  return families;
}

const SETTER: TextMapSetter<Headers> = {
  set(scratch, name, value) {
    if (isSent(value)) Object.assign(scratch, { [name]: value });
  },
};

/** Transports skip blank headers (docs/wire-contract.md §2). */
function isSent(value: string): boolean {
  return /[^ \t\n\v\f\r]/.test(value);
}

/**
 * `x-b3` for `x-b3-traceid`, `x-datadog` for `x-datadog-parent-id`, and a name of one or two words
 * itself. `tracestate` is alone: a trace is whole without it.
 */
function familyOf(name: string): string {
  const [first = "", second, third] = name.toLowerCase().split("-");
  return third === undefined ? name.toLowerCase() : `${first}-${second}`;
}

/** The trace context first, then what else there is, and baggage last: no trace breaks without it. */
function inOrder(families: Families): Entry[][] {
  return [...families.entries()]
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([, entries]) => entries);
}

function rank(family: string): number {
  if (family === TRACEPARENT) return 0;
  if (family === TRACESTATE) return 1;
  return /baggage|^uberctx-/.test(family) ? 3 : 2;
}

/**
 * The caller's headers without those that would say something else than what is written beside
 * them: headers of a received message, passed on, name the trace context of that.
 */
function withoutStale(
  headers: Readonly<Headers>,
  families: Families,
  fields: readonly string[],
): Headers {
  const replaced = new Set([...families.values()].flat().map(([name]) => name.toLowerCase()));
  for (const field of fields) {
    const isState = familyOf(field) === TRACESTATE && families.has(TRACEPARENT);
    if (isState || families.has(familyOf(field))) replaced.add(field.toLowerCase());
  }
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !replaced.has(name.toLowerCase())),
  );
}
