export { SqsConsumer } from "./consume/consumer.js";
export type { SqsConsumerOptions } from "./consume/options.js";
export type { SqsConsumerStats } from "./consume/stats.js";
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
export type {
  BatchMessage,
  PublishBatchResult,
  PublishOptions,
  PublishResult,
} from "./publish/messages.js";
export { SqsPublisher, type SqsPublisherOptions } from "./publish/publisher.js";
export type { SqsClient } from "./requests/client.js";
export { headersOf, type MessageAttributes, toMessageAttributes } from "./wire/attributes.js";
export type { SendOptions } from "./wire/outgoing.js";
