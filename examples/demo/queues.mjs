import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";

/** @typedef {import("@aws-sdk/client-sqs").SQSClient} SQSClient */
/** @typedef {import("@aws-sdk/client-sqs").Message} Message */

/** The queues of the demo, by URL. A dead-letter queue is an ordinary queue that exists. */
export class Queues {
  /** @type {string[]} */
  #urls = [];

  /**
   * @param {SQSClient} client
   * @param {string} prefix
   */
  constructor(client, prefix) {
    this.client = client;
    this.prefix = prefix;
  }

  /** @param {string} name */
  async create(name) {
    const { QueueUrl: url } = await this.client.send(
      new CreateQueueCommand({
        QueueName: this.prefix + name,
        ...(name.endsWith(".fifo") ? { Attributes: { FifoQueue: "true" } } : undefined),
      }),
    );
    if (url === undefined) throw new Error(`SQS gave no URL for the queue ${name}`);
    this.#urls.push(url);
    return url;
  }

  async deleteAll() {
    for (const QueueUrl of this.#urls.splice(0)) {
      await this.client.send(new DeleteQueueCommand({ QueueUrl }));
    }
  }
}

/**
 * Receives and deletes what is in a queue, with the AWS SDK alone, until there are so many messages
 * or the time is up.
 *
 * @param {SQSClient} client
 * @param {string} QueueUrl
 * @param {number} count
 * @returns {Promise<Message[]>}
 */
export async function drain(client, QueueUrl, count, timeoutMs = 30_000) {
  const giveUpAt = Date.now() + timeoutMs;
  /** @type {Message[]} */
  const found = [];
  while (found.length < count && Date.now() < giveUpAt) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        MessageAttributeNames: ["All"],
      }),
    );
    found.push(...Messages);
    for (const { ReceiptHandle } of Messages) {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
  return found;
}
