export {
  type ExponentialBackoffOptions,
  exponentialBackoff,
} from "./consume/backoff.js";
export {
  type ConsumeOptions,
  createConsume,
  type SettlementOptions,
} from "./consume/consume.js";
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
} from "./consume/delivery.js";
export {
  type IdempotencyStore,
  type IdempotentOptions,
  idempotent,
} from "./consume/idempotent.js";
export {
  type MemoryStoreOptions,
  memoryStore,
} from "./consume/memory-store.js";
export { UnknownUrnStrategy } from "./consume/strategy.js";
export { type Amendment, amendEnvelope } from "./envelope/amend.js";
export {
  type DecodeOptions,
  decodeEnvelope,
  encodeEnvelope,
} from "./envelope/codec.js";
export {
  type CreateEnvelopeOptions,
  createEnvelope,
  prepareEnvelope,
} from "./envelope/create.js";
export {
  type DeadLetter,
  type DeadLetterReason,
  type Envelope,
  type Meta,
  SOURCE_LANG,
} from "./envelope/envelope.js";
export { identityOf } from "./envelope/identity.js";
export type { JsonObject, JsonValue } from "./envelope/json.js";
export {
  acceptsSchemaVersion,
  SCHEMA_VERSION,
} from "./envelope/schema-version.js";
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
  defineMessage,
  type MessageDefinition,
  type PayloadOf,
} from "./messages/message.js";
export {
  type Handler,
  type HandlerContext,
  type Handlers,
  type Routes,
  UrnRouter,
} from "./messages/router.js";
export type {
  InferInput,
  InferOutput,
  StandardIssue,
  StandardProps,
  StandardResult,
  StandardSchema,
  StandardTypes,
} from "./messages/standard-schema.js";
export { createReporter, type Reporter, type ReportHooks } from "./reporter.js";
export type {
  Outbound,
  Send,
  SendMiddleware,
  SendResult,
} from "./send/outbound.js";
export type { Warning } from "./warning.js";
