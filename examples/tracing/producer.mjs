// Takes an order, as an HTTP server would, and publishes it.
import { otel } from "@babelqueue/otel";
import { SqsPublisher } from "@babelqueue/sqs";
import { trace } from "@opentelemetry/api";
import { readSettings } from "./settings.mjs";
import { startTelemetry } from "./telemetry.mjs";

startTelemetry("producer");
const { client, ordersUrl } = readSettings();

const tracing = otel();
const orders = new SqsPublisher(client, ordersUrl, { middleware: [tracing.send] });

await trace.getTracer("example").startActiveSpan("POST /orders", async (span) => {
  await orders.publish("urn:babel:orders:created", { order_id: 1042 });
  span.end();
});
client.destroy();
