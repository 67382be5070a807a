// SQS in a process of its own: the embedded server for standard queues, and, as that one hands out
// one message of a group at a time, the strict fake for FIFO. Each answer says when it was made.
import { buildApp } from "fauxqs";
import { now } from "./clock.mjs";
import { fakeFront } from "./fake-front.mjs";
import { listen } from "./http.mjs";

/** @typedef {{ standard: string, fifo: string }} Endpoints */

// built from the TypeScript by tsdown
const bundle = new URL("../dist/fake-sqs.mjs", import.meta.url).href;
const { FakeSqs, isOperation } = /** @type {typeof import("fake-sqs")} */ (await import(bundle));

const fifoGroups = /** @type {import("fake-sqs").FifoGroupRule} */ (process.argv[2] ?? "leading");
// When a server applied a request: when it last read its clock, or began where it does not. To ask
// for the time afterwards would be too late where the process had to wait for a processor.
const readClock = Date.now;
let lastRead = now();
Date.now = () => {
  lastRead = now();
  return readClock();
};
const stamp = () => ({ "x-soak-at": String(lastRead) });

const app = buildApp({ logger: false });
app.addHook("preHandler", async () => {
  lastRead = now();
});
app.addHook("onSend", async (_request, reply) => {
  reply.headers(stamp());
});
const fake = new FakeSqs({ fifoGroups, history: false });

/** @type {Endpoints} */
const endpoints = {
  standard: await app.listen({ port: 0, host: "127.0.0.1" }),
  fifo: await listen(fakeFront(fake, isOperation, stamp)),
};
process.on("disconnect", () => process.exit());
process.send?.(endpoints);
