export type { Clock } from "./clock.js";
export type { LapsedVisibilityChange } from "./context.js";
export { isOperation } from "./dispatch.js";
export {
  batchRequestTooLong,
  connectionReset,
  invalidParameter,
  queueDoesNotExist,
  serviceUnavailable,
  throttled,
} from "./errors.js";
export { FakeSqs, type FakeSqsOptions, type RecordedRequest } from "./fake-sqs.js";
export type { FifoGroupRule } from "./fifo-groups.js";
export type { AnswerHook, EntryFault, EntryHook, RequestHook, Verdict } from "./hooks.js";
export type { MessageSnapshot } from "./message.js";
export type {
  BatchEntry,
  BatchOperation,
  OperationName,
  Operations,
  SqsRequest,
} from "./operations.js";
export type { QueueAttributes, RedrivePolicy } from "./queue-attributes.js";
