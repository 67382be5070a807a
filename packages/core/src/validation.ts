import type { Envelope } from "./envelope.js";
import {
  InvalidArgumentError,
  InvalidPayloadError,
  type PayloadIssue,
  PayloadRefusedError,
  pointersText,
} from "./errors.js";
import { parseExactly } from "./json-text.js";
import type { MessageDefinition } from "./message.js";
import { assertPayload, pointerOf, stringifyExactly } from "./payload.js";
import type { InferOutput, StandardSchema } from "./standard-schema.js";

/** A promise only where the schema is asynchronous. */
type MaybePromise<T> = T | Promise<T>;

type Validation<TOutput> =
  | { readonly ok: true; readonly output: TOutput }
  | { readonly ok: false; readonly issues: readonly PayloadIssue[] };

/**
 * Holds the payload that is to be published to its schema: the value that a consumer will parse, and
 * so without what JSON changes or leaves out.
 *
 * @throws (or rejects) {@link InvalidPayloadError}, with the `cause` where the schema itself failed.
 */
export function requireFit(definition: MessageDefinition, data: unknown): MaybePromise<void> {
  assertPayload(data);
  const { data: sent } = parseExactly(stringifyExactly({ data })) as { readonly data: unknown };
  let validation: MaybePromise<Validation<unknown>>;
  try {
    validation = validate(definition, sent);
  } catch (cause) {
    throw failed(definition, cause);
  }
  return validation instanceof Promise
    ? validation.then(
        (settled) => requireNoIssues(definition, settled),
        (cause: unknown) => {
          throw failed(definition, cause);
        },
      )
    : requireNoIssues(definition, validation);
}

function requireNoIssues({ urn }: MessageDefinition, validation: Validation<unknown>): void {
  if (validation.ok) return;
  const { issues } = validation;
  const [{ pointer } = { pointer: "/data" }, ...others] = issues;
  const rest = others.filter((other) => other.pointer !== pointer);
  throw new InvalidPayloadError(
    pointer,
    `does not fit the schema of ${urn}${rest.length === 0 ? "" : `, nor do those at ${pointersText(rest)}`}`,
    { issues },
  );
}

function failed({ urn }: MessageDefinition, cause: unknown): InvalidPayloadError {
  const problem = `could not be validated: the schema of ${urn} failed; see cause`;
  return new InvalidPayloadError("/data", problem, { cause });
}

/**
 * What the schema makes of a received payload.
 *
 * @throws (or rejects) {@link PayloadRefusedError} if the payload does not fit; what the schema
 * throws, if it does.
 */
export async function outputOf<TSchema extends StandardSchema>(
  definition: MessageDefinition<TSchema>,
  { data, meta }: Envelope<unknown>,
): Promise<InferOutput<TSchema>> {
  const validation = await validate(definition, data);
  if (validation.ok) return validation.output;
  throw new PayloadRefusedError(definition.urn, meta.id, validation.issues);
}

/**
 * Is it the refusal of this message's own payload? A handler may have given another message to a
 * handler, or may fail to publish one.
 */
export function isRefusalOf({ meta }: Envelope, thrown: unknown): thrown is PayloadRefusedError {
  return thrown instanceof PayloadRefusedError && thrown.id === meta.id;
}

function validate<TSchema extends StandardSchema>(
  definition: MessageDefinition<TSchema>,
  data: unknown,
): MaybePromise<Validation<InferOutput<TSchema>>> {
  const result: unknown = definition.schema["~standard"].validate(data);
  return isThenable(result)
    ? Promise.resolve(result).then((settled) => read(definition, settled))
    : read(definition, result);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}

/** A schema is anybody's code: whatever it returns is looked at before it is believed. */
function read<TOutput>({ urn }: MessageDefinition, result: unknown): Validation<TOutput> {
  if (typeof result === "object" && result !== null) {
    const { issues } = result as { readonly issues?: unknown };
    // an array, and perhaps an empty one: a failure is told by there being issues, not by how many
    if (Array.isArray(issues)) {
      const found = issues.map((issue: unknown) => ({
        pointer: pointerOf("/data", keysOf(issue)),
      }));
      return { ok: false, issues: found.length > 0 ? found : [{ pointer: "/data" }] };
    }
    if (!issues && "value" in result) return { ok: true, output: result.value as TOutput };
  }
  throw new InvalidArgumentError(
    "schema",
    `that of ${urn} returned neither a value nor a list of issues, as a Standard Schema must`,
  );
}

/** The way to the value, as far as it can be read. */
function keysOf(issue: unknown): readonly string[] {
  const { path } = (issue ?? {}) as { readonly path?: unknown };
  const keys: string[] = [];
  for (const segment of Array.isArray(path) ? (path as readonly unknown[]) : []) {
    const key: unknown =
      typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment;
    if (typeof key !== "string" && typeof key !== "number" && typeof key !== "symbol") break;
    keys.push(String(key));
  }
  return keys;
}
