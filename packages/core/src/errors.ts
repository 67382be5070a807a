const FAMILY = Symbol.for("babelqueue.error");
const isInstance = Function.prototype[Symbol.hasInstance];

/**
 * The family that every error of BabelQueue belongs to. `code` tells the members apart and never
 * changes; messages may. No error carries a payload: it may be personal data.
 *
 * `instanceof` also holds for errors of another copy of this package (an ESM and a CJS build in one
 * process): the family is marked by `Symbol.for("babelqueue.error")`, and each class by its `kind`. A
 * subclass of your own has none, and is recognised in the ordinary way.
 */
export abstract class BabelQueueError extends Error {
  static {
    Object.defineProperty(this.prototype, FAMILY, { value: true });
  }

  /** The name of the class, which a minifier would change. */
  protected static readonly kind: string = "BabelQueueError";

  /** The literal that tells this failure from the others. */
  abstract readonly code: string;

  constructor(message?: string, options?: ErrorOptions) {
    const { prototype, kind } = new.target;
    // before the stack is taken, which shows it; a subclass may have a name of its own
    if (!Object.hasOwn(prototype, "name")) prototype.name = kind;
    super(message, options);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (isInstance.call(this, value)) return true;
    if (!Object.hasOwn(this, "kind") || !(FAMILY in Object(value))) return false;
    let { constructor } = value as { readonly constructor: unknown };
    while (constructor !== null && ownKind(constructor) !== this.kind) {
      constructor = Object.getPrototypeOf(constructor) as unknown;
    }
    return constructor !== null;
  }
}

function ownKind(constructor: unknown): unknown {
  return Object.getOwnPropertyDescriptor(constructor, "kind")?.value;
}

/** Why a body is no envelope (docs/wire-contract.md §1). */
export type InvalidEnvelopeReason =
  | "not_json"
  | "not_an_object"
  | "invalid_urn"
  | "invalid_trace_id"
  | "invalid_data"
  | "invalid_meta"
  | "unsupported_schema_version"
  | "invalid_attempts"
  | "forbidden_key";

/**
 * What was received, or was to be sent, is no envelope of schema version 1. On the consuming side
 * such a message is poison: it can never succeed. Has no `cause`, since a parser's message quotes
 * the text that it could not read.
 */
export class InvalidEnvelopeError extends BabelQueueError {
  protected static override readonly kind: string = "InvalidEnvelopeError";

  readonly code = "invalid_envelope";
  readonly reason: InvalidEnvelopeReason;

  constructor(reason: InvalidEnvelopeReason, detail: string) {
    super(`Not a BabelQueue envelope: ${detail}.`);
    this.reason = reason;
  }
}

/**
 * The broker's `bq-schema-version` names a version that this SDK does not read, so the body was not
 * decoded (docs/wire-contract.md §3).
 */
export class UnsupportedSchemaVersionError extends BabelQueueError {
  protected static override readonly kind: string = "UnsupportedSchemaVersionError";

  readonly code = "unsupported_schema_version";
  /** The value exactly as it was sent. */
  readonly declared: string;

  constructor(declared: string) {
    super(
      `bq-schema-version is ${quote(declared)}, and only "1" is read here: ` +
        "consume the message with an SDK that reads it.",
    );
    this.declared = declared;
  }
}

/** A valid envelope whose URN has no handler (docs/wire-contract.md §4). */
export class UnknownUrnError extends BabelQueueError {
  protected static override readonly kind: string = "UnknownUrnError";

  readonly code = "unknown_urn";
  readonly urn: string;

  constructor(urn: string) {
    super(
      `No handler is registered for ${quote(urn)}. ` +
        "Register one, or choose an unknownUrnStrategy.",
    );
    this.urn = urn;
  }
}

/** Something that is wrong with a payload: where, and never what is there. */
export interface PayloadIssue {
  /** Where in the envelope, as a JSON pointer (RFC 6901), such as `/data/lines/0/price`. */
  readonly pointer: string;
}

export interface InvalidPayloadOptions extends ErrorOptions {
  /** All that is wrong. Default: what is at `pointer`. */
  readonly issues?: readonly PayloadIssue[] | undefined;
}

/**
 * The payload of a message cannot be sent as it is: JSON would lose something (docs/wire-contract.md §1), or
 * it does not fit the schema of its definition. Nothing was sent. What a schema library says of its
 * issues is left out, since it may quote the payload.
 */
export class InvalidPayloadError extends BabelQueueError {
  protected static override readonly kind: string = "InvalidPayloadError";

  readonly code = "invalid_payload";
  /** The pointer of the first issue. */
  readonly pointer: string;
  /** All that is wrong, in the order it was found; at least one. */
  readonly issues: readonly PayloadIssue[];

  /** `problem` completes "the value at … ": "is NaN, which JSON cannot carry". */
  constructor(pointer: string, problem: string, options?: InvalidPayloadOptions) {
    const issues = options?.issues ?? [{ pointer }];
    super(`The value at ${pointersText(issues)} ${problem}.`, options);
    this.pointer = pointer;
    this.issues = issues;
  }
}

/**
 * The payload of a received message does not fit the schema that its URN was defined with, and so
 * never will: it is settled as poison (docs/wire-contract.md §4). Nothing of the payload is shown.
 */
export class PayloadRefusedError extends BabelQueueError {
  protected static override readonly kind: string = "PayloadRefusedError";

  readonly code = "payload_refused";
  readonly urn: string;
  /** The `meta.id` of the message, where it has one. */
  readonly id: string | undefined;
  /** All that is wrong, in the schema's order; at least one. */
  readonly issues: readonly PayloadIssue[];

  constructor(urn: string, id: string | undefined, issues: readonly PayloadIssue[]) {
    super(
      `The payload of a message of ${urn} does not fit its schema at ${pointersText(issues)}. ` +
        "It was not handled; its producer or the schema is wrong.",
    );
    this.urn = urn;
    this.id = id;
    this.issues = issues;
  }
}

/** A handled message could not be remembered; `cause` says why. It may be handled again. */
export class NotRememberedError extends BabelQueueError {
  protected static override readonly kind: string = "NotRememberedError";

  readonly code = "not_remembered";
  /** The `meta.id` of the message. */
  readonly id: string;

  constructor(id: string, options: ErrorOptions) {
    super(
      `Message ${quote(id)} was handled, but could not be remembered; see cause. ` +
        "If it is delivered again, it is handled again.",
      options,
    );
    this.id = id;
  }
}

/** An option or argument has a value that cannot be meant; nothing was started or sent. */
export class InvalidArgumentError extends BabelQueueError {
  protected static override readonly kind: string = "InvalidArgumentError";

  readonly code = "invalid_argument";
  readonly argument: string;

  /** `problem` says what is wrong with the argument. */
  constructor(argument: string, problem: string) {
    super(`Invalid ${argument}: ${problem}.`);
    this.argument = argument;
  }
}

/** The thrown value as an Error: anything else, a revoked Proxy too, becomes its `cause`. */
export function asError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) return thrown;
  } catch {}
  return new Error("Something that is no Error was thrown; see cause.", { cause: thrown });
}

function pointersText(issues: readonly PayloadIssue[]): string {
  return shorten([...new Set(issues.map(({ pointer }) => pointer))].join(", "));
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}
