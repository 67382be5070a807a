// Queues on one server, and what lies in them, seen without any BabelQueue SDK.
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";

/** @typedef {import("./party.mjs").Address} Address */
/** @typedef {import("@aws-sdk/client-sqs").Message} Message */
/** @typedef {Record<string, import("@aws-sdk/client-sqs").MessageAttributeValue>} Attributes */

/** How long a message that must come may take. */
const WAIT_MS = 10_000;

export class Queues {
  #made = 0;
  #name;

  /**
   * @param {string} endpoint
   * @param {string} name begins the names of the queues
   */
  constructor(endpoint, name) {
    this.#name = name;
    this.client = new SQSClient({
      endpoint,
      region: "us-east-1",
      credentials: { accessKeyId: "interop", secretAccessKey: "interop" },
      // a request that fails is seen to fail
      maxAttempts: 1,
      requestHandler: { connectionTimeout: 5_000, requestTimeout: 30_000 },
    });
  }

  /** A new queue. @param {boolean} fifo */
  async create(fifo = false) {
    this.#made += 1;
    return this.#create(`${this.#name}-${this.#made}`, fifo);
  }

  /** A new queue and its dead-letter queue, named by the convention. @param {boolean} fifo */
  async createPair(fifo = false) {
    this.#made += 1;
    const name = `${this.#name}-${this.#made}`;
    return {
      queue: await this.#create(name, fifo),
      deadLetters: await this.#create(`${name}-dlq`, fifo),
    };
  }

  /**
   * @param {string} name
   * @param {boolean} fifo
   * @returns {Promise<Address>}
   */
  async #create(name, fifo) {
    const queue = fifo ? `${name}.fifo` : name;
    const { QueueUrl: queueUrl = "" } = await this.client.send(
      new CreateQueueCommand({
        QueueName: queue,
        Attributes: { VisibilityTimeout: "120", ...(fifo && { FifoQueue: "true" }) },
      }),
    );
    return { queue, queueUrl, fifo };
  }

  /**
   * @param {Address} to
   * @param {string} body
   * @param {Attributes} attributes
   * @param {string} deduplicationId on a FIFO queue
   */
  async send(to, body, attributes, deduplicationId) {
    const { MessageId = "" } = await this.client.send(
      new SendMessageCommand({
        QueueUrl: to.queueUrl,
        MessageBody: body,
        MessageAttributes: attributes,
        ...(to.fifo && { MessageGroupId: "group", MessageDeduplicationId: deduplicationId }),
      }),
    );
    return MessageId;
  }

  /**
   * Receives so many messages; fewer if no more come.
   *
   * @param {Address} from
   * @param {number} count
   * @param {number} waitSeconds
   */
  async receive(from, count, waitSeconds = 1) {
    /** @type {Message[]} */
    const received = [];
    const until = Date.now() + (waitSeconds === 0 ? 0 : WAIT_MS);
    do {
      const { Messages = [] } = await this.client.send(
        new ReceiveMessageCommand({
          QueueUrl: from.queueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: waitSeconds,
          MessageAttributeNames: ["All"],
          MessageSystemAttributeNames: ["All"],
        }),
      );
      received.push(...Messages);
    } while (received.length < count && Date.now() < until);
    return received;
  }

  /**
   * How many messages can be received, and how many are received and not settled.
   *
   * @param {Address} of
   */
  async depth(of) {
    const { Attributes = {} } = await this.client.send(
      new GetQueueAttributesCommand({ QueueUrl: of.queueUrl, AttributeNames: ["All"] }),
    );
    return {
      visible: Number(Attributes["ApproximateNumberOfMessages"]),
      hidden: Number(Attributes["ApproximateNumberOfMessagesNotVisible"]),
    };
  }

  stop() {
    this.client.destroy();
  }
}
