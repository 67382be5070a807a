// Where the servers differ from each other and from what AWS documents; told, and judged by nobody's tests.
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";

/** @typedef {import("./queues.mjs").Queues} Queues */

/**
 * @typedef {object} Probe
 * @property {string} question
 * @property {string} aws the answer that AWS documents
 * @property {string} source where
 * @property {(queues: Queues) => Promise<string>} ask
 */

const SEND = "API Reference, SendMessage";
const METADATA = "Developer Guide, message metadata";

/** @type {readonly Probe[]} */
export const probes = [
  {
    question: "a body with a character beyond U+FFFF",
    aws: "taken",
    source: SEND,
    ask: (queues) => send(queues, { MessageBody: "😀" }),
  },
  {
    question: "a body with U+FFFF",
    aws: "InvalidMessageContents",
    source: SEND,
    ask: (queues) => send(queues, { MessageBody: "\uffff" }),
  },
  {
    question: "a body with U+0001",
    aws: "InvalidMessageContents",
    source: SEND,
    ask: (queues) => send(queues, { MessageBody: "\u0001" }),
  },
  {
    question: "eleven attributes",
    aws: "refused",
    source: METADATA,
    ask: (queues) => send(queues, { MessageAttributes: attributes(11) }).then(verdict),
  },
  {
    question: "an attribute with an empty value",
    aws: "refused",
    source: METADATA,
    ask: (queues) =>
      send(queues, {
        MessageAttributes: { empty: { DataType: "String", StringValue: "" } },
      }).then(verdict),
  },
  {
    question: "a delay of 901 s",
    aws: "refused",
    source: SEND,
    ask: (queues) => send(queues, { DelaySeconds: 901 }).then(verdict),
  },
  {
    question: "a delay of one message on a FIFO queue",
    aws: "refused",
    source: SEND,
    ask: (queues) => send(queues, { DelaySeconds: 5 }, true).then(verdict),
  },
  {
    question: "a receive that asks for no attributes gives",
    aws: "none",
    source: "API Reference, ReceiveMessage",
    ask: async (queues) => {
      const queue = await queues.create();
      await queues.send(queue, "x", attributes(1), "");
      const { MessageAttributes = {}, Attributes = {} } = (await receive(queues, queue))[0] ?? {};
      const given = Object.keys({ ...MessageAttributes, ...Attributes }).length;
      return given === 0 ? "none" : "some";
    },
  },
  {
    question: "two messages of a FIFO group, in one receive of ten",
    aws: "2",
    source: "Developer Guide, FIFO queue delivery logic",
    ask: async (queues) => {
      const queue = await queues.create(true);
      await queues.send(queue, "1", {}, "1");
      await queues.send(queue, "2", {}, "2");
      return String((await receive(queues, queue)).length);
    },
  },
  {
    question: "MessageGroupId on a standard queue is received",
    aws: "yes",
    source: "API Reference, ReceiveMessage",
    ask: async (queues) => {
      const queue = await queues.create();
      const request = { QueueUrl: queue.queueUrl, MessageBody: "x", MessageGroupId: "tenant" };
      await queues.client.send(new SendMessageCommand(request));
      const [message] = await queues.receive(queue, 1);
      return message?.Attributes?.MessageGroupId === "tenant" ? "yes" : "no";
    },
  },
  {
    question: "a delete with a handle that is none",
    aws: "ReceiptHandleIsInvalid",
    source: "API Reference, DeleteMessage",
    ask: async (queues) => {
      const { queueUrl } = await queues.create();
      return outcome(
        queues.client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: "none" })),
      );
    },
  },
];

/**
 * The answers, in the order of the probes.
 *
 * @param {Queues} queues
 */
export async function probe(queues) {
  const answers = [];
  for (const { ask } of probes) answers.push(await ask(queues));
  return answers;
}

/** @param {number} count */
function attributes(count) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`a${n}`, { DataType: "String", StringValue: "x" }]),
  );
}

/**
 * @param {Queues} queues
 * @param {Partial<import("@aws-sdk/client-sqs").SendMessageCommandInput>} input
 * @param {boolean} [fifo]
 */
async function send(queues, input, fifo = false) {
  const { queueUrl } = await queues.create(fifo);
  const ids = fifo ? { MessageGroupId: "g", MessageDeduplicationId: "d" } : {};
  const request = { QueueUrl: queueUrl, MessageBody: "x", ...ids, ...input };
  return outcome(queues.client.send(new SendMessageCommand(request)));
}

/**
 * @param {Queues} queues
 * @param {import("./party.mjs").Address} queue
 */
async function receive(queues, { queueUrl }) {
  const request = { QueueUrl: queueUrl, MaxNumberOfMessages: 10 };
  const { Messages = [] } = await queues.client.send(new ReceiveMessageCommand(request));
  return Messages;
}

/** Taken, or the name of the error. @param {Promise<unknown>} request */
async function outcome(request) {
  try {
    await request;
    return "taken";
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}

/** @param {string} answer */
function verdict(answer) {
  return answer === "taken" ? answer : "refused";
}
