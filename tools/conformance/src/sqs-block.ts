import type { MessageAttributeValue } from "@aws-sdk/client-sqs";

/** The block `sqs`: any of its parts may be missing. */
export interface SqsBlock {
  readonly attribute_projection?: {
    readonly envelope_file: string;
    readonly message_attributes: Readonly<Record<string, MessageAttributeValue>>;
  };
  readonly attempts_reconciliation?: {
    readonly cases: readonly {
      readonly name: string;
      readonly body_attempts: number;
      /** Null: the attribute is absent. */
      readonly approximate_receive_count: string | null;
      readonly expected_attempts: number;
    }[];
  };
  readonly schema_version_gate?: {
    readonly fixture: string;
    readonly cases: readonly GateCase[];
    /** Own: a body whose `meta.schema_version` is not 1. */
    readonly wrong_body?: string;
  };
}

export interface GateCase {
  /** The attribute's value, exactly as sent; missing with `absent`. */
  readonly value?: string;
  readonly absent?: boolean;
  readonly expect: "decode" | "reject";
}

/** The value in a form that shows what is in it. */
export function gateTitle({ value, expect }: GateCase): string {
  if (value === undefined) return `absent: ${expect}`;
  const shown = JSON.stringify(value).replace(
    /[\u007F-\uFFFF]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${shown}: ${expect}`;
}
