/** @import { NewMessage, PublishFields, SendMiddleware } from "@babelqueue/core/transport" */
/** @import { MessageDefinition } from "@babelqueue/core" */
import { encodeEnvelope } from "@babelqueue/core";
import { createSend } from "@babelqueue/core/transport";

/** Publishes to one Redis list. An element is an envelope, byte for byte, and nothing else. */
export class RedisPublisher {
  /**
   * @param {import("@redis/client").RedisClientType} client
   * @param {string} queue
   * @param {{ middleware?: readonly SendMiddleware[] }} [options]
   */
  constructor(client, queue, { middleware } = {}) {
    this.sender = createSend({
      system: "redis",
      queue,
      middleware,
      headerLimit: 0, // a list element has no room for headers beside the envelope
      transmit: async ({ envelope }) => {
        await client.rPush(queue, encodeEnvelope(envelope));
        return { ok: true };
      },
    });
  }

  /** @type {(message: string | MessageDefinition, data: object, fields?: PublishFields) => Promise<string>} */
  publish(message, data, fields = {}) {
    return this.sender.publish(message, data, fields);
  }

  /** @param {readonly (NewMessage & PublishFields)[]} messages */
  async publishBatch(messages) {
    return { results: await this.sender.publishBatch(messages) };
  }
}
