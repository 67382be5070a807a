import {
  createConsume,
  createEnvelope,
  defineMessage,
  encodeEnvelope,
  InvalidPayloadError,
  PayloadRefusedError,
  type StandardIssue,
  type StandardSchema,
  UrnRouter,
} from "@babelqueue/core";
import { Ajv, type ErrorObject } from "ajv";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { expectCopy } from "../expect-copy.js";
import { keysOf } from "../json.js";
import { deliveryOf } from "../settlement-rows.js";

interface PayloadSchema {
  /** A JSON Schema of `data`. */
  readonly schema: object;
  readonly cases: readonly {
    readonly name: string;
    readonly data: object;
    readonly valid: boolean;
    /** Own: the pointer of the first issue. */
    readonly refused_at?: string;
  }[];
}

function issueOf({ instancePath, message = "" }: ErrorObject): StandardIssue {
  return { message, path: keysOf(instancePath) };
}

/** A JSON Schema as one of Standard Schema. */
function standardOf(schema: object): StandardSchema<object> {
  const validate = new Ajv().compile(schema);
  return {
    "~standard": {
      version: 1,
      vendor: "ajv",
      validate: (value) =>
        validate(value)
          ? { value: value as object }
          : { issues: (validate.errors ?? []).map(issueOf) },
    },
  };
}

const subject = "defineMessage, on both sides";

export const payloadSchema = block<PayloadSchema>({ key: "payload_schema", subject, define });

/** Where characters are counted, those are code points. */
export const payloadSchemaUnicode = block<PayloadSchema>({
  key: "payload_schema_unicode",
  subject,
  define,
});

/** Both sides of a message with the schema: what is published, and what is consumed. */
function define({ schema, cases }: PayloadSchema): void {
  const urn = "urn:babel:vectors:payload";
  const definition = defineMessage({ urn, schema: standardOf(schema) });

  test.each(cases)("$name: published", ({ data, valid, refused_at: pointer }) => {
    const publish = (): string => encodeEnvelope(createEnvelope(definition, data));
    if (valid) {
      expect(JSON.parse(publish())).toMatchObject({ job: urn, data });
      return;
    }
    expect(publish).toThrow(InvalidPayloadError);
    if (pointer !== undefined) expect(publish).toThrow(expect.objectContaining({ pointer }));
  });

  test.each(cases)("$name: consumed", async ({ data, valid, refused_at: pointer }) => {
    const handled: object[] = [];
    const router = new UrnRouter().on(definition, (envelope) => handled.push(envelope.data));
    const consume = createConsume(router, { deadLetters: true, onError: () => undefined });
    const body = encodeEnvelope(createEnvelope(urn, data));
    const outcome = await consume(deliveryOf(body, {}));
    expect(handled).toEqual(valid ? [data] : []);
    if (valid) {
      expect(outcome.kind).toBe("ack");
      return;
    }
    const error = expect.any(PayloadRefusedError) as Error;
    expect(outcome).toEqual({
      kind: "dead-letter",
      reason: "poison",
      envelope: null,
      body: expect.any(String) as string,
      error,
    });
    if (outcome.kind === "dead-letter") {
      expectCopy(outcome.body, { copy: "spliced", reason: "poison" }, body);
    }
    if (pointer !== undefined) expect(outcome).toMatchObject({ error: { issues: [{ pointer }] } });
  });
}
