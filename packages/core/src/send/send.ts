import { requireRecord } from "../arguments.js";
import { CallOrder } from "../batching/call-order.js";
import { prepareEnvelope } from "../envelope/create.js";
import type { Envelope } from "../envelope/envelope.js";
import { isNonBlank } from "../envelope/json.js";
import { asError, InvalidArgumentError } from "../errors.js";
import type { MaybePromise } from "../maybe-promise.js";
import type { MessageDefinition } from "../messages/message.js";
import { optionsOf, toOutbound } from "./addressed.js";
import { withMiddleware } from "./middleware.js";
import type {
  Outbound,
  PublishFields,
  Send,
  SendFields,
  SendMiddleware,
  SendResult,
} from "./outbound.js";

/** A message to be made and sent. */
export interface NewMessage {
  /** A URN, or a definition whose schema `data` has to fit. */
  readonly urn: string | MessageDefinition;
  readonly data: object;
}

/** What became of one message of a batch. */
export type PublishResult =
  | { readonly ok: true /** The `meta.id`. */; readonly id: string }
  | { readonly ok: false; readonly error: Error };

export interface CreateSendOptions<TOptions extends SendFields> {
  /**
   * Gives one message to the broker. Resolves once the broker has taken it, or has not; what it
   * throws or rejects with is a failure of this message.
   */
  readonly transmit: (outbound: Outbound, options: TOptions) => MaybePromise<SendResult>;
  /** The messaging system, as OpenTelemetry names it: `aws.sqs`, `memory`, … */
  readonly system: string;
  readonly queue: string;
  /** How many headers the broker can carry besides the contract's. Default: any number. */
  readonly headerLimit?: number | undefined;
  /** Messages go out in the order of the calls, also behind one that is still validated. Default `false`. */
  readonly ordered?: boolean | undefined;
  /** Around sending, the first outermost. Default: none. */
  readonly middleware?: readonly SendMiddleware[] | undefined;
}

/** The way out of a transport: what its publisher is made of. */
export interface Sender<TOptions extends SendFields> {
  /** Makes a message and sends it; resolves with its `meta.id`, rejects with why it was not sent. */
  publish(
    message: string | MessageDefinition,
    data: object,
    options: TOptions & PublishFields,
  ): Promise<string>;
  /** Sends an envelope as it is, and holds it to no schema. Resolves and rejects as `publish`. */
  publishEnvelope(envelope: Envelope<object>, options: TOptions): Promise<string>;
  /**
   * Makes and sends any number of messages; one result a message, in their order. One that fails
   * fails alone. Rejects only for what is no list.
   */
  publishBatch(
    messages: readonly (NewMessage & TOptions & PublishFields)[],
  ): Promise<readonly PublishResult[]>;
  /** Resolves when all that was given so far is sent or has failed. */
  idle(): Promise<void>;
}

/** A message ready to be sent, or why it cannot be; perhaps only later. */
type Draft = MaybePromise<
  { readonly ok: true; readonly outbound: Outbound } | { readonly ok: false; readonly error: Error }
>;

/**
 * The counterpart of `createConsume`: it makes envelopes, runs the middleware once a call, in the
 * caller's async context, and gives exactly one result a message, in order, whatever a middleware
 * does. A transport is left to write `transmit`.
 *
 * @throws {@link InvalidArgumentError} for a middleware that makes no function.
 */
export function createSend<TOptions extends SendFields>(
  options: CreateSendOptions<TOptions>,
): Sender<TOptions> {
  const send = withMiddleware(options.middleware ?? [], transmitting(options));
  const order = new CallOrder(options.ordered === true);
  const open = new Set<Promise<unknown>>();

  const sendAll = (drafts: readonly Draft[]): Promise<readonly PublishResult[]> => {
    const ready = drafts.some((one) => one instanceof Promise)
      ? Promise.all(drafts.map(async (one) => one))
      : (drafts as readonly Awaited<Draft>[]);
    const inTurn = order.take(ready);
    const results =
      inTurn instanceof Promise
        ? inTurn.then((settled) => dispatch(settled, send))
        : dispatch(inTurn, send);
    open.add(results);
    void results.then(() => open.delete(results));
    return results;
  };
  return {
    publish: async (message, data, fields) =>
      idOf(await sendAll([draft(() => create(message, data, fields, options))])),
    publishEnvelope: async (envelope, fields) =>
      idOf(await sendAll([draft(() => toOutbound(envelope, fields, options, true))])),
    async publishBatch(messages) {
      requireList(messages);
      const drafts = messages.map((message) =>
        draft(() => {
          requireRecord("messages", "each to be { urn, data, … }", message);
          return create(message.urn, message.data, message, options);
        }),
      );
      return sendAll(drafts);
    },
    async idle() {
      await Promise.all(open);
    },
  };
}

function requireList(messages: unknown): void {
  if (Array.isArray(messages)) return;
  throw new InvalidArgumentError("messages", "expected an array of messages");
}

/** Gives each message to the broker, all at once. Never rejects. */
function transmitting<TOptions extends SendFields>({
  transmit,
}: CreateSendOptions<TOptions>): Send {
  return (batch) =>
    Promise.all(
      batch.map(async (outbound): Promise<SendResult> => {
        try {
          const result = await transmit(outbound, optionsOf(outbound) as TOptions);
          if (typeof result?.ok === "boolean") return result;
          throw new InvalidArgumentError(
            "transmit",
            "it must give { ok: true } or { ok: false, error }",
          );
        } catch (thrown) {
          return { ok: false, error: asError(thrown) };
        }
      }),
    );
}

function create<TOptions extends SendFields>(
  message: string | MessageDefinition,
  data: object,
  fields: TOptions & PublishFields,
  to: CreateSendOptions<TOptions>,
): MaybePromise<Outbound> {
  const { traceId, meta } = fields;
  const address = (envelope: Envelope<object>): Outbound =>
    toOutbound(envelope, fields, to, isNonBlank(traceId));
  const envelope = prepareEnvelope(message, data, {
    queue: to.queue,
    traceId,
    meta,
  });
  return envelope instanceof Promise ? envelope.then(address) : address(envelope);
}

/** What `make` comes to, now or later. Neither throws nor rejects. */
function draft(make: () => MaybePromise<Outbound>): Draft {
  try {
    const outbound = make();
    return outbound instanceof Promise ? outbound.then(made, notMade) : made(outbound);
  } catch (thrown) {
    return notMade(thrown);
  }
}

function made(outbound: Outbound): Awaited<Draft> {
  return { ok: true, outbound };
}

function notMade(thrown: unknown): Awaited<Draft> {
  return { ok: false, error: asError(thrown) };
}

/** Sends those that could be made. Never rejects. */
async function dispatch(
  drafts: readonly Awaited<Draft>[],
  send: Send,
): Promise<readonly PublishResult[]> {
  const good = drafts.flatMap((one) => (one.ok ? [one.outbound] : []));
  const sent = (good.length > 0 ? await send(good) : []).values();
  return drafts.map((one): PublishResult => {
    if (!one.ok) return one;
    // a middleware may have put anything in its place
    const result: SendResult | undefined = sent.next().value;
    if (result?.ok === true) return { ok: true, id: idAfter(one.outbound, result) };
    const error = result?.error ?? new InvalidArgumentError("middleware", "it gave no result");
    return { ok: false, error };
  });
}

/** The `meta.id`; of an envelope that has none, the broker's own id of the message. */
function idAfter({ envelope }: Outbound, { messageId = "" }: SendResult & { ok: true }): string {
  const { id } = envelope.meta as { readonly id: unknown };
  return isNonBlank(id) ? id : messageId;
}

function idOf([result]: readonly PublishResult[]): string {
  if (result?.ok === true) return result.id;
  throw result?.error ?? new TypeError("One message has one result");
}
