import { decodeEnvelope, identityOf } from "@babelqueue/core";
import type { BodySource } from "./folder.js";
import { rejectionOf } from "./rejection.js";

/** A body of which only the URN may be wrong. */
export interface UrnCase extends BodySource {
  readonly name: string;
  readonly valid: boolean;
  readonly expect?: { readonly urn: string };
  /** Of a `job` that is no string, and of nothing else. */
  readonly expect_warning?: boolean;
}

interface UrnVerdict {
  readonly urn: string | undefined;
  readonly hasIdentity: boolean;
  readonly rejection: string | undefined;
  /** Each as its code and its pointer. */
  readonly warnings: readonly string[];
}

/** What decoding makes of the URN of a body. */
export function urnVerdict(body: string): UrnVerdict {
  const warnings: string[] = [];
  let urn: string | undefined;
  const rejection = rejectionOf(() => {
    const envelope = decodeEnvelope(body, {
      onWarning: ({ code, pointer }) => warnings.push(`${code} ${pointer}`),
    });
    urn = envelope.job;
  });
  return { urn, hasIdentity: identityOf(body) !== null, rejection, warnings };
}

export function expectedVerdict({ valid, expect, expect_warning: warns }: UrnCase): UrnVerdict {
  return {
    urn: valid ? expect?.urn : undefined,
    hasIdentity: valid,
    rejection: valid ? undefined : "invalid_urn",
    warnings: warns === true ? ["ignored_job /job"] : [],
  };
}
