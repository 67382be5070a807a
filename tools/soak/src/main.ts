// `pnpm soak --messages 100000 --faults --seed 42`: prints what happened, and fails if anything was lost.
import { parseArgs } from "node:util";
import { progressLine, summary } from "./report.js";
import { type Options, soak } from "./soak.js";

// of no use here, and noise in a log; the processes that this one starts inherit it
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] = "true";

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "100000" },
    /** Of the messages, how many are for the FIFO queue. Default a third. */
    fifo: { type: "string" },
    faults: { type: "boolean", default: false },
    seed: { type: "string" },
    /** Default with faults one a 2500 messages, 4 at least, else none. */
    kills: { type: "string" },
    consumers: { type: "string", default: "3" },
    producers: { type: "string", default: "2" },
    groups: { type: "string" },
    /** See FifoGroupRule of fake-sqs. */
    "fifo-groups": { type: "string", default: "leading" },
    keep: { type: "boolean", default: false },
  },
});

function whole(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number) && number >= 0) return number;
  throw new RangeError(`--${name}: expected a whole number, got ${text}`);
}

const messages = whole("messages", values.messages);
const fifo = whole("fifo", values.fifo ?? String(Math.floor(messages / 3)));
const kills = values.faults ? Math.max(4, Math.floor(messages / 2500)) : 0;
const options: Options = {
  seed: whole("seed", values.seed ?? String(Math.floor(Math.random() * 2 ** 31))),
  standard: Math.max(0, messages - fifo),
  fifo,
  faults: values.faults,
  kills: whole("kills", values.kills ?? String(kills)),
  consumers: whole("consumers", values.consumers),
  producers: whole("producers", values.producers),
  groups: whole("groups", values.groups ?? String(Math.max(10, Math.min(200, fifo >> 4)))),
  fifoGroups: values["fifo-groups"],
  keep: values.keep,
};
console.log(`soak        ${messages} messages, seed ${options.seed}, ${options.kills} kills`);
const result = await soak(options, (progress) => console.log(progressLine(progress)));
console.log(summary(options, result));
process.exitCode = result.violations.length === 0 ? 0 : 1;
