import type { Envelope } from "../envelope/envelope.js";
import { withLargeIntegers } from "../envelope/json-text.js";
import { assertPayload, stepTo, stringifyExactly } from "../envelope/payload.js";
import {
  InvalidArgumentError,
  InvalidPayloadError,
  type PayloadIssue,
  PayloadRefusedError,
} from "../errors.js";
import type { MaybePromise } from "../maybe-promise.js";
import type { StandardSchema } from "./standard-schema.js";

type Validation =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly issues: readonly [PayloadIssue, ...PayloadIssue[]] };

/**
 * What a definition does to payloads. It brings this along, so only those who define one carry it.
 * Other copies of this package call it, of other versions too: members are only ever added.
 */
export interface Validator {
  readonly urn: string;
  /**
   * Holds the payload that is to be published to the schema: the value that a consumer will parse,
   * and so without what JSON changes or leaves out.
   *
   * @throws (or rejects) {@link InvalidPayloadError}, with the `cause` where the schema itself failed.
   */
  requireFit(data: unknown): MaybePromise<void>;
  /**
   * What the schema makes of a received payload.
   *
   * @throws (rejects) {@link PayloadRefusedError} if the payload does not fit; what the schema
   * throws, if it does.
   */
  outputOf(envelope: Envelope<unknown>): Promise<unknown>;
}

export function validatorOf(urn: string, schema: StandardSchema): Validator {
  const validate = (data: unknown): MaybePromise<Validation> => {
    const result: unknown = schema["~standard"].validate(data);
    return isThenable(result)
      ? Promise.resolve(result).then((settled) => readResult(urn, settled))
      : readResult(urn, result);
  };
  const requireOk = (validation: Validation): void => {
    if (validation.ok) return;
    const { issues } = validation;
    throw new InvalidPayloadError(issues[0].pointer, `does not fit the schema of ${urn}`, {
      issues,
    });
  };
  const schemaFailed = (cause: unknown): never => {
    const problem = `could not be validated: the schema of ${urn} failed; see cause`;
    throw new InvalidPayloadError("/data", problem, { cause });
  };
  return {
    urn,
    requireFit(data) {
      assertPayload(data);
      const text = stringifyExactly({ data });
      const sent = withLargeIntegers(JSON.parse(text), text) as { readonly data: unknown };
      let validation: MaybePromise<Validation>;
      try {
        validation = validate(sent.data);
      } catch (cause) {
        return schemaFailed(cause);
      }
      return validation instanceof Promise
        ? validation.then(requireOk, schemaFailed)
        : requireOk(validation);
    },
    async outputOf({ data, meta }) {
      const validation = await validate(data);
      if (validation.ok) return validation.output;
      throw new PayloadRefusedError(urn, meta.id, validation.issues);
    },
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}

/** A schema is anybody's code: whatever it returns is looked at before it is believed. */
function readResult(urn: string, result: unknown): Validation {
  const found = Object(result) as { readonly issues?: unknown; readonly value?: unknown };
  // an empty list is a failure too
  if (Array.isArray(found.issues)) {
    const [first = { pointer: "/data" }, ...others] = found.issues.map(readIssue);
    return { ok: false, issues: [first, ...others] };
  }
  if (!found.issues && "value" in found) return { ok: true, output: found.value };
  const problem = `that of ${urn} returned neither a value nor issues, as a Standard Schema must`;
  throw new InvalidArgumentError("schema", problem);
}

/** An issue, with the way to its value as far as it can be read. */
function readIssue(issue: unknown): PayloadIssue {
  const { path } = Object(issue) as { readonly path?: unknown };
  let pointer = "/data";
  for (const segment of Array.isArray(path) ? (path as readonly unknown[]) : []) {
    const key: unknown =
      typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment;
    if (typeof key !== "string" && typeof key !== "number" && typeof key !== "symbol") break;
    pointer += stepTo(String(key));
  }
  return { pointer };
}
