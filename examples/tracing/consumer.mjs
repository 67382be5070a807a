// Charges the card for each order, and asks for an email; sends the emails, too.
import { UrnRouter } from "@babelqueue/core";
import { otel } from "@babelqueue/otel";
import { SqsConsumer, SqsPublisher } from "@babelqueue/sqs";
import { trace } from "@opentelemetry/api";
import { readSettings } from "./settings.mjs";
import { startTelemetry } from "./telemetry.mjs";

startTelemetry("consumer");
const { client, ordersUrl, emailsUrl } = readSettings();
const tracer = trace.getTracer("example");

const tracing = otel();
const emails = new SqsPublisher(client, emailsUrl, { middleware: [tracing.send] });

class PaymentTimeoutError extends Error {}

/**
 * The bank does not answer the first time, so the message comes again.
 *
 * @param {number} attempts
 */
async function chargeCard(attempts) {
  await tracer.startActiveSpan("charge card", async (span) => {
    try {
      if (attempts === 0) throw new PaymentTimeoutError("The bank did not answer");
    } finally {
      span.end();
    }
  });
}

const orderRouter = new UrnRouter().on("urn:babel:orders:created", async ({ attempts, data }) => {
  await chargeCard(attempts);
  await emails.publish("urn:babel:emails:requested", { template: "paid", ...data });
});
const emailRouter = new UrnRouter().on("urn:babel:emails:requested", () => undefined);

const options = {
  middleware: [tracing.consume],
  waitTimeSeconds: 1,
  // the trace tells it
  onError: () => undefined,
};
const consumers = [
  new SqsConsumer(client, ordersUrl, orderRouter, options),
  new SqsConsumer(client, emailsUrl, emailRouter, options),
];

// main.mjs lets go of this process when it has seen enough
process.once("disconnect", () => {
  for (const consumer of consumers) void consumer.stop();
});
await Promise.all(consumers.map((consumer) => consumer.run()));
client.destroy();
