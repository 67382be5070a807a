import { encodeEnvelope, prepareEnvelope } from "@babelqueue/core";

/** Publishes to one Redis list. An element is an envelope, byte for byte, and nothing else. */
export class RedisPublisher {
  /**
   * @param {import("@redis/client").RedisClientType} client
   * @param {string} queue
   * @param {{ middleware?: readonly import("@babelqueue/core").SendMiddleware[] }} [options]
   */
  constructor(client, queue, { middleware = [] } = {}) {
    /** @type {import("@babelqueue/core").Send} */
    const send = async (batch) => {
      try {
        const elements = batch.map(({ envelope }) => encodeEnvelope(envelope));
        await client.rPush(queue, elements);
        return batch.map(() => ({ ok: true }));
      } catch (error) {
        return batch.map(() => ({ ok: false, error: /** @type {Error} */ (error) }));
      }
    };
    this.queue = queue;
    this.send = middleware.reduceRight((next, wrap) => wrap(next), send);
  }

  /**
   * Publishes a new message; resolves with its `meta.id` once Redis has taken it.
   *
   * @param {string | import("@babelqueue/core").MessageDefinition} message
   * @param {object} data
   * @param {Pick<import("@babelqueue/core").CreateEnvelopeOptions, "traceId" | "meta">} [options]
   */
  async publish(message, data, { traceId, meta } = {}) {
    const { queue } = this;
    const prepared = await prepareEnvelope(message, data, { queue, traceId, meta });
    const envelope = /** @type {import("@babelqueue/core").Envelope} */ (prepared);
    const traceIdGiven = /[^ \t\n\v\f\r]/.test(traceId ?? ""); // a blank one is none
    // a list element has no room for headers beside the envelope
    const place = { system: "redis", queue, headers: {}, headerLimit: 0 };
    const [sent] = await this.send([{ envelope, ...place, traceIdGiven }]);
    if (sent?.ok !== true) throw sent?.error ?? new Error("A middleware gave no result");
    return envelope.meta.id;
  }
}
