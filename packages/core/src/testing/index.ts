export { ManualClock } from "./clock.js";
export type {
  OpenHarness,
  SuiteBatchMessage,
  SuiteConsumer,
  SuiteConsumerOptions,
  SuiteLetter,
  SuitePublisher,
  SuitePublishOptions,
  TransportCapabilities,
  TransportHarness,
} from "./harness.js";
export type {
  MemoryConsumer,
  MemoryConsumerOptions,
  MemoryConsumerStats,
} from "./memory-consumer.js";
export type { MemoryMessage, StoredMessage } from "./memory-message.js";
export type {
  MemoryBatchMessage,
  MemoryPublisher,
  MemoryPublisherOptions,
  MemoryPublishOptions,
  MemoryPublishResult,
  MemorySendOptions,
} from "./memory-publisher.js";
export { MemoryTransport, type MemoryTransportOptions } from "./memory-transport.js";
export { type TransportCase, transportCases } from "./suite.js";
