import type { Block } from "../block.js";
import { amend } from "./amend.js";
import { cases } from "./cases.js";
import { dataShape } from "./data-shape.js";
import { deadLetterCopies } from "./dead-letter-copies.js";
import { encode } from "./encode.js";
import { fifo } from "./fifo.js";
import { forbiddenKeys } from "./forbidden-keys.js";
import { idempotency } from "./idempotency.js";
import { numbers } from "./numbers.js";
import { payloadSchema } from "./payload-schema.js";
import { payloadValues } from "./payload-values.js";
import { produce } from "./produce.js";
import { releaseDelays } from "./release-delays.js";
import { riders } from "./riders.js";
import { roundtrip } from "./roundtrip.js";
import { schemaVersionGate } from "./schema-version-gate.js";
import { settlement } from "./settlement.js";
import { settlementFailures } from "./settlement-failures.js";
import { sqs } from "./sqs.js";
import { sqsSettlement } from "./sqs-settlement.js";
import { traces } from "./traces.js";

/** Every block that is run here; a new one is a file beside this and a line in it. */
export const blocks: readonly Block[] = [
  cases,
  roundtrip,
  dataShape,
  forbiddenKeys,
  encode,
  produce,
  payloadValues,
  numbers,
  amend,
  schemaVersionGate,
  settlement,
  releaseDelays,
  traces,
  payloadSchema,
  idempotency,
  sqs,
  sqsSettlement,
  settlementFailures,
  deadLetterCopies,
  riders,
  fifo,
];
