// The emulator in a process of its own: counts requests, adds latency, keeps the clock.
import { buildApp } from "fauxqs";

let latencyMs = 0;
let requests = 0;
let firstReceiveAt = 0;
let lastDeleteAt = 0;

const app = buildApp({ logger: false });
app.addHook("onRequest", async (request) => {
  requests += 1;
  if (firstReceiveAt === 0 && request.headers["x-amz-target"] === "AmazonSQS.ReceiveMessage") {
    firstReceiveAt = performance.now();
  }
  if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
});
app.addHook("onResponse", async (request) => {
  const target = String(request.headers["x-amz-target"]);
  if (target.startsWith("AmazonSQS.DeleteMessage")) lastDeleteAt = performance.now();
});

// answers with what was seen since the last message, then starts anew with the latency asked for
process.on("message", (/** @type {{ latencyMs: number }} */ message) => {
  process.send?.({ requests, firstReceiveAt, lastDeleteAt });
  latencyMs = message.latencyMs;
  requests = 0;
  firstReceiveAt = 0;
  lastDeleteAt = 0;
});
process.on("disconnect", () => process.exit());
process.send?.({ endpoint: await app.listen({ port: 0, host: "127.0.0.1" }) });
