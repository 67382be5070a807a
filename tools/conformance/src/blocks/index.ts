import type { Block } from "../block.js";
import { amend } from "./amend.js";
import { cases } from "./cases.js";
import { dataShape } from "./data-shape.js";
import { deadLetterCopies } from "./dead-letter-copies.js";
import { delay } from "./delay.js";
import { encode } from "./encode.js";
import { encodeReject } from "./encode-reject.js";
import { extensionWrite } from "./extension-write.js";
import { fifo } from "./fifo.js";
import { forbiddenKeys } from "./forbidden-keys.js";
import { idempotency } from "./idempotency.js";
import { identityVerdict } from "./identity-verdict.js";
import { jobType } from "./job-type.js";
import { numbers } from "./numbers.js";
import { payloadSchema, payloadSchemaUnicode } from "./payload-schema.js";
import { payloadValues } from "./payload-values.js";
import { poisonDlq } from "./poison-dlq.js";
import { produce } from "./produce.js";
import { releaseDelays } from "./release-delays.js";
import { retryBackoff } from "./retry-backoff.js";
import { riders } from "./riders.js";
import { roundtrip } from "./roundtrip.js";
import { schemaVersionGate } from "./schema-version-gate.js";
import { settlement } from "./settlement.js";
import { settlementFailures } from "./settlement-failures.js";
import { sqs } from "./sqs.js";
import { sqsSettlement } from "./sqs-settlement.js";
import { traceparent } from "./traceparent.js";
import { traces } from "./traces.js";
import { trim } from "./trim.js";
import { versionGateSqs } from "./version-gate-sqs.js";

/** Every block that is run here; a new one is a file beside this and a line in it. */
export const blocks: readonly Block[] = [
  cases,
  roundtrip,
  dataShape,
  forbiddenKeys,
  encode,
  encodeReject,
  extensionWrite,
  trim,
  jobType,
  identityVerdict,
  produce,
  payloadValues,
  numbers,
  amend,
  schemaVersionGate,
  poisonDlq,
  retryBackoff,
  settlement,
  releaseDelays,
  traces,
  traceparent,
  payloadSchema,
  payloadSchemaUnicode,
  idempotency,
  sqs,
  versionGateSqs,
  delay,
  sqsSettlement,
  settlementFailures,
  deadLetterCopies,
  riders,
  fifo,
];
