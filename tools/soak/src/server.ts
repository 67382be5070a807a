// SQS in a process of its own: the embedded server for standard queues, and, as that one hands out
// one message of a group at a time, the strict fake for FIFO. Each answer says when it was made.
import { FakeSqs, type FifoGroupRule } from "fake-sqs";
import { buildApp } from "fauxqs";
import { now } from "./clock.js";
import { fakeFront } from "./fake-front.js";
import { listen } from "./http.js";

export interface Endpoints {
  standard: string;
  fifo: string;
}

const fifoGroups = (process.argv[2] ?? "leading") as FifoGroupRule;
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

const endpoints: Endpoints = {
  standard: await app.listen({ port: 0, host: "127.0.0.1" }),
  fifo: await listen(fakeFront(fake, stamp)),
};
process.on("disconnect", () => process.exit());
process.send?.(endpoints);
