import { requireRecord } from "../arguments.js";
import { InvalidArgumentError } from "../errors.js";
import { type MessageDefinition, type PayloadOf, validatorIn } from "../messages/message.js";
import {
  type Envelope,
  FORBIDDEN_META_KEYS,
  invalidUrn,
  type Meta,
  SOURCE_LANG,
} from "./envelope.js";
import { isNonBlank, trim } from "./json.js";
import { assertPayload } from "./payload.js";
import { SCHEMA_VERSION } from "./schema-version.js";
import { trimmedUrn } from "./urn.js";

export interface CreateEnvelopeOptions {
  /** The logical queue name. Default `default`. */
  readonly queue?: string | undefined;
  /** Continues a trace; trimmed. Default (and when blank) a new UUID. */
  readonly traceId?: string | undefined;
  /**
   * Keys of your own in `meta`, beside the generated ones; by convention one object a vendor:
   * `{ ext: { acme: { … } } }`. Values are what JSON can carry. Default: none.
   */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Makes a new message, with an id and a time of its own and `attempts` 0.
 *
 * @param urn - Non-blank; by convention `urn:babel:<context>:<event>`. Trimmed.
 * @param data - A JSON object. What is nested in it is checked by {@link encodeEnvelope}.
 * @throws {@link InvalidEnvelopeError} if the URN is blank.
 * @throws {@link InvalidPayloadError} if `data` is no object.
 * @throws {@link InvalidArgumentError} if `meta` has a key that is generated or forbidden.
 */
export function createEnvelope<T extends object>(
  urn: string,
  data: T,
  options?: CreateEnvelopeOptions,
): Envelope<T>;
/**
 * Makes a new message of a defined kind.
 *
 * @param definition - Whose schema the data has to fit. It stays as it was given.
 * @throws {@link InvalidPayloadError} if `data` does not fit, or JSON would lose something of it.
 * @throws {@link InvalidArgumentError} if the schema is asynchronous: {@link prepareEnvelope} awaits it.
 */
export function createEnvelope<TDefinition extends MessageDefinition>(
  definition: TDefinition,
  data: PayloadOf<TDefinition>,
  options?: CreateEnvelopeOptions,
): Envelope<PayloadOf<TDefinition>>;
export function createEnvelope(
  message: string | MessageDefinition,
  data: object,
  options: CreateEnvelopeOptions = {},
): Envelope<object> {
  const envelope = prepareEnvelope(message, data, options);
  if (!(envelope instanceof Promise)) return envelope;
  // nobody is left to be told how it ends
  envelope.catch(() => undefined);
  throw new InvalidArgumentError(
    "schema",
    "it is asynchronous; publish instead, or use prepareEnvelope",
  );
}

/**
 * `createEnvelope` for transports, whose `publish` takes a URN or a definition. It returns a
 * promise only where the definition's schema is asynchronous, so that a transport which keeps the
 * order of calls can send everything else at once.
 *
 * @throws (or rejects) as `createEnvelope`.
 */
export function prepareEnvelope(
  message: string | MessageDefinition,
  data: object,
  options: CreateEnvelopeOptions = {},
): Envelope<object> | Promise<Envelope<object>> {
  const validator = validatorIn(message);
  const create = (): Envelope<object> => newEnvelope(validator?.urn ?? message, data, options);
  const fit = validator?.requireFit(data);
  return fit instanceof Promise ? fit.then(create) : create();
}

function newEnvelope(
  urn: unknown,
  data: object,
  { queue, traceId, meta }: CreateEnvelopeOptions,
): Envelope<object> {
  const job = trimmedUrn(urn);
  if (job === undefined) throw invalidUrn(urn);
  assertPayload(data);
  const generated: Meta = {
    id: crypto.randomUUID(),
    queue: isNonBlank(queue) ? queue : "default",
    lang: SOURCE_LANG,
    schema_version: SCHEMA_VERSION,
    created_at: Date.now(),
  };
  return {
    job,
    trace_id: isNonBlank(traceId) ? trim(traceId) : crypto.randomUUID(),
    data,
    meta: meta === undefined ? generated : { ...generated, ...requireExtension(meta, generated) },
    attempts: 0,
  };
}

/** @throws {@link InvalidArgumentError} for a key that the envelope generates, or may not hold. */
function requireExtension(meta: object, generated: Meta): object {
  requireRecord("meta", "a plain object", meta);
  for (const key of Object.keys(meta)) {
    if (!Object.hasOwn(generated, key) && !FORBIDDEN_META_KEYS.includes(key)) continue;
    const problem = `its key ${key} is reserved`;
    throw new InvalidArgumentError("meta", problem);
  }
  return meta;
}
