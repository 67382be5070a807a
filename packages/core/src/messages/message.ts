import { unexpected } from "../arguments.js";
import { requireUrn } from "../envelope/urn.js";
import type { InferInput, StandardSchema } from "./standard-schema.js";
import { type Validator, validatorOf } from "./validation.js";

const MESSAGE = Symbol.for("babelqueue.message");

/** A kind of message: its URN, and the schema of its payload. Taken wherever a URN is. */
export interface MessageDefinition<TSchema extends StandardSchema = StandardSchema> {
  readonly urn: string;
  readonly schema: TSchema;
}

/**
 * The payload that a producer gives: the schema's input. Always an object, for `data` is one
 * (docs/wire-contract.md §1).
 */
export type PayloadOf<TDefinition extends MessageDefinition> =
  InferInput<TDefinition["schema"]> extends object
    ? InferInput<TDefinition["schema"]>
    : InferInput<TDefinition["schema"]> & object;

/**
 * Defines a kind of message by a schema of any Standard Schema library (zod, valibot, arktype, …).
 *
 * A producer's payload is validated before it is sent, in the form that JSON gives it (a `Date` is a
 * string by then), and is sent as it was given: what travels is the schema's input. A consumer
 * validates again, and its handler gets the schema's output.
 *
 * A definition is recognised across copies of this package, by `Symbol.for("babelqueue.message")`.
 *
 * @throws {@link InvalidArgumentError} if the URN is blank or the schema none of Standard Schema.
 */
export function defineMessage<TSchema extends StandardSchema>({
  urn,
  schema,
}: MessageDefinition<TSchema>): MessageDefinition<TSchema> {
  const trimmed = requireUrn(urn);
  if (!isStandardSchema(schema)) {
    throw unexpected("schema", `a schema of a Standard Schema library for ${trimmed}`, schema);
  }
  const definition = { urn: trimmed, schema };
  Object.defineProperty(definition, MESSAGE, { value: validatorOf(trimmed, schema) });
  return Object.freeze(definition);
}

/** The validator of a definition; undefined for a URN, and for what only looks like a definition. */
export function validatorIn(message: unknown): Validator | undefined {
  return (Object(message) as { readonly [MESSAGE]?: Validator })[MESSAGE];
}

/** A schema may be a function, as arktype's are. */
function isStandardSchema(value: unknown): boolean {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  const { "~standard": standard } = value as Partial<StandardSchema>;
  return typeof standard?.validate === "function";
}
