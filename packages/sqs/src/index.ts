export { headersOf, type MessageAttributes, toMessageAttributes } from "./attributes.js";
export type {
  BatchMessage,
  PublishBatchResult,
  PublishOptions,
  PublishResult,
} from "./batch-message.js";
export type { SqsClient } from "./client.js";
export { SqsConsumer } from "./consumer.js";
export type { SendOptions } from "./entry.js";
export {
  HandlerUnfinishedError,
  MessageTooLargeError,
  SqsDeadLetterError,
  SqsDeleteError,
  SqsReceiveError,
  SqsReleaseError,
  SqsRequestError,
  SqsSendError,
  VisibilityLostError,
} from "./errors.js";
export type { SqsConsumerOptions } from "./options.js";
export { SqsPublisher, type SqsPublisherOptions } from "./publisher.js";
export type { SqsConsumerStats } from "./stats.js";
