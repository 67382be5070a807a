import { MemoryTransport, type OpenHarness } from "./index.js";

/** The harness of the memory transport. */
export const openMemory: OpenHarness = async ({ fifo }) => {
  const memory = new MemoryTransport({ visibilityTimeoutSeconds: 30 });
  const queue = fifo ? "orders.fifo" : "orders";
  const publisher = memory.publisher(queue);
  return {
    queue,
    publish: (urn, data, options) => publisher.publish(urn, data, options),
    publisher: (middleware) => memory.publisher(queue, { middleware }),
    sendRaw: async (body, headers) => void memory.sendRaw(queue, body, headers),
    consumer: (routes, options) => memory.consumer(queue, routes, options),
    pending: async () => memory.messages(queue).length,
    returnLeft: async () => memory.clock.advance(31),
    elapse: async (seconds) => memory.clock.advance(seconds),
    readDeadLetters: async () => memory.deadLetters(queue),
    dispose: async () => undefined,
  };
};
