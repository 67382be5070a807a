/** What a transport is made of. A service needs nothing of it: it uses a transport's own names. */
export {
  Batcher,
  type BatcherOptions,
  type BatchResult,
} from "./batching/batcher.js";
export { CallOrder } from "./batching/call-order.js";
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
export { isNonBlank } from "./envelope/json.js";
export { asError, InvalidArgumentError } from "./errors.js";
export type { Headers } from "./headers.js";
export type { MaybePromise } from "./maybe-promise.js";
export { createReporter, type Reporter, type ReportHooks } from "./reporter.js";
export type {
  Outbound,
  PublishFields,
  Send,
  SendFields,
  SendMiddleware,
  SendResult,
} from "./send/outbound.js";
export {
  type CreateSendOptions,
  createSend,
  type NewMessage,
  type PublishResult,
  type Sender,
} from "./send/send.js";
export type { Warning } from "./warning.js";
