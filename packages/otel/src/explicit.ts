import {
  type CreateEnvelopeOptions,
  createEnvelope,
  type Envelope,
  type Handler,
  type Headers,
  type Meta,
} from "@babelqueue/core";
import { context, propagation, type Tracer, trace } from "@opentelemetry/api";
import { startProcessing } from "./consume.js";
import { envelopeAttributes } from "./envelope-attributes.js";
import { fail } from "./failure.js";
import { extract, injectContext } from "./propagation.js";
import { stamped, startProducerSpan } from "./send.js";

/** Which broker it is, nobody says here. */
const SYSTEM = "babelqueue";

/**
 * Makes an envelope and sends it by hand, within a span `send {queue}` whose context rides in
 * `headers` and whose trace id is the `trace_id`. For code that is not built on a publisher with
 * {@link otel}'s middleware; with both there are two spans.
 *
 * @param queue - The logical name of the queue; `default` if blank.
 * @param send - Sends the one with the other beside it.
 * @param options - `meta`: keys of your own in the envelope's `meta`, as core's `createEnvelope` has it.
 * @returns the `meta.id`.
 * @throws (rejects) what core's `createEnvelope` throws, and what `send` throws or rejects with.
 */
export async function tracedPublish<T extends object>(
  tracer: Tracer,
  urn: string,
  data: T,
  queue: string,
  send: (envelope: Envelope<T>, headers: Headers) => unknown,
  { meta }: Pick<CreateEnvelopeOptions, "meta"> = {},
): Promise<string> {
  const created = createEnvelope(urn, data, { queue, meta });
  const ambient = context.active();
  const to = { system: SYSTEM, queue: created.meta.queue };
  const span = startProducerSpan(tracer, "send", to, ambient);
  const within = trace.setSpan(ambient, span);
  const envelope = stamped(created, span);
  if (span.isRecording()) span.setAttributes(envelopeAttributes(envelope));
  try {
    await context.with(within, () => send(envelope, injectContext({}, within)));
    return envelope.meta.id;
  } catch (thrown) {
    fail(span, thrown);
    throw thrown;
  } finally {
    span.end();
  }
}

/**
 * A handler that does the same within a span `process {queue}`, a child of the span that the message
 * was sent in, as {@link otel}'s middleware has it. For single handlers; with both there are two
 * spans.
 */
export function traceHandler<TData, TMessage>(
  tracer: Tracer,
  handler: Handler<TData, TMessage>,
): Handler<TData, TMessage> {
  return async (envelope, message, handlerContext) => {
    const extraction = extract(handlerContext.headers, envelope.trace_id, propagation);
    // another producer may leave it out
    const { queue = "default" } = envelope.meta as Partial<Meta>;
    const from = { system: SYSTEM, queue };
    const { span, within } = startProcessing(tracer, from, envelope, extraction);
    try {
      return await context.with(within, async () => handler(envelope, message, handlerContext));
    } catch (thrown) {
      fail(span, thrown);
      throw thrown;
    } finally {
      span.end();
    }
  };
}
