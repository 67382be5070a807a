export { type Amendment, amendEnvelope } from "./amend.js";
export { type ExponentialBackoffOptions, exponentialBackoff } from "./backoff.js";
export { type DecodeOptions, decodeEnvelope, encodeEnvelope } from "./codec.js";
export { type ConsumeOptions, createConsume, type SettlementOptions } from "./consume.js";
export type {
  Ack,
  Consume,
  ConsumeMiddleware,
  DeadLetterWrite,
  Delivery,
  Drop,
  Leave,
  Outcome,
  Received,
  Release,
  Route,
} from "./delivery.js";
export {
  type CreateEnvelopeOptions,
  createEnvelope,
  type DeadLetter,
  type DeadLetterReason,
  type Envelope,
  type Meta,
  prepareEnvelope,
  SOURCE_LANG,
} from "./envelope.js";
export {
  BabelQueueError,
  InvalidArgumentError,
  InvalidEnvelopeError,
  type InvalidEnvelopeReason,
  InvalidPayloadError,
  type InvalidPayloadOptions,
  NotRememberedError,
  type PayloadIssue,
  PayloadRefusedError,
  UnknownUrnError,
  UnsupportedSchemaVersionError,
} from "./errors.js";
export type { Headers } from "./headers.js";
export {
  type IdempotencyStore,
  type IdempotentOptions,
  idempotent,
} from "./idempotent.js";
export { identityOf } from "./identity.js";
export type { JsonObject, JsonValue } from "./json.js";
export { type MemoryStoreOptions, memoryStore } from "./memory-store.js";
export { defineMessage, type MessageDefinition, type PayloadOf } from "./message.js";
export type { Outbound, Send, SendMiddleware, SendResult } from "./outbound.js";
export { createReporter, type Reporter, type ReportHooks } from "./reporter.js";
export {
  type Handler,
  type HandlerContext,
  type Handlers,
  type Routes,
  UrnRouter,
} from "./router.js";
export { acceptsSchemaVersion, SCHEMA_VERSION } from "./schema-version.js";
export type {
  InferInput,
  InferOutput,
  StandardIssue,
  StandardProps,
  StandardResult,
  StandardSchema,
  StandardTypes,
} from "./standard-schema.js";
export { UnknownUrnStrategy } from "./strategy.js";
export type { Warning } from "./warning.js";
