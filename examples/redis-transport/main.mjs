// Publishes an order and handles it, at the second attempt. Redis is at the URL that is given, or
// at redis://localhost:6379.
import { hostname } from "node:os";
import { createClient } from "@redis/client";
import { RedisConsumer } from "./consumer.mjs";
import { RedisPublisher } from "./publisher.mjs";

/** @type {import("@redis/client").RedisClientType} */
const client = createClient({ url: process.argv[2] ?? "redis://localhost:6379" });
client.on("error", (error) => console.error(String(error)));
await client.connect();

await new RedisPublisher(client, "orders").publish("urn:babel:orders:created", { order_id: 1042 });

/** @param {import("@babelqueue/core").Envelope<{ order_id: number }>} envelope */
const chargeCard = ({ data, attempts }) => {
  console.log(`order ${data.order_id}, attempts ${attempts}`);
  if (attempts === 0) throw new Error("the bank did not answer");
  void consumer.stop();
};
const handlers = { "urn:babel:orders:created": chargeCard };
const consumer = new RedisConsumer(client, "orders", handlers, {
  name: hostname(),
  onError: (error) => console.log(String(error)),
});
await consumer.run(); // until it is stopped
client.destroy();
