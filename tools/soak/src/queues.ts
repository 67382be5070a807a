import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { createClient } from "./client.js";
import { queueOf } from "./history.js";
import type { Endpoints } from "./server.js";

/** A queue, and the dead-letter queue of its redrive policy and its consumers. */
export interface QueuePair {
  name: string;
  url: string;
  deadLetterUrl: string;
}

/** What lies in the dead-letter queues. */
export interface DeadLetters {
  /** SQS message ids. */
  messages: ReadonlySet<string>;
  /** `meta.id`s. */
  envelopes: ReadonlySet<string>;
}

/** High enough that only a message that never succeeds gets there, and those behind it in its group. */
const MAX_RECEIVE_COUNT = 8;

/** The queues of a soak, seen from behind the proxy. */
export class Queues {
  pairs: QueuePair[] = [];
  readonly #standard: SQSClient;
  readonly #fifo: SQSClient;

  constructor({ standard, fifo }: Endpoints) {
    this.#standard = createClient(standard, 1);
    this.#fifo = createClient(fifo, 1);
  }

  async create(name: string): Promise<void> {
    const deadLetterName = name.replace(/(\.fifo)?$/, "-dlq$1");
    const deadLetterUrl = await this.#createQueue(deadLetterName, {});
    const command = new GetQueueAttributesCommand({
      QueueUrl: deadLetterUrl,
      AttributeNames: ["QueueArn"],
    });
    const { Attributes } = await this.#client(name).send(command);
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: Attributes?.QueueArn,
      maxReceiveCount: MAX_RECEIVE_COUNT,
    });
    const url = await this.#createQueue(name, { RedrivePolicy });
    this.pairs.push({ name, url, deadLetterUrl });
  }

  /** How many messages are in the queues, without the dead-letter queues: visible, hidden, delayed. */
  async depth(): Promise<number> {
    const depths = await Promise.all(
      this.pairs.map(async ({ name, url: QueueUrl }) => {
        const command = new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: [
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesNotVisible",
            "ApproximateNumberOfMessagesDelayed",
          ],
        });
        const { Attributes = {} } = await this.#client(name).send(command);
        return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
      }),
    );
    return depths.reduce((sum, depth) => sum + depth, 0);
  }

  /** Empties the dead-letter queues. */
  async readDeadLetters(): Promise<DeadLetters> {
    const messages = new Set<string>();
    const envelopes = new Set<string>();
    for (const { name, deadLetterUrl: QueueUrl } of this.pairs) {
      const client = this.#client(name);
      for (;;) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl,
            MaxNumberOfMessages: 10,
            MessageAttributeNames: ["All"],
          }),
        );
        if (Messages.length === 0) break;
        for (const { MessageId = "", MessageAttributes } of Messages) {
          messages.add(MessageId);
          envelopes.add(MessageAttributes?.["bq-message-id"]?.StringValue ?? "");
        }
        const Entries = Messages.map(({ ReceiptHandle }, index) => ({
          Id: String(index),
          ReceiptHandle,
        }));
        await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      }
    }
    return { messages, envelopes };
  }

  close(): void {
    this.#standard.destroy();
    this.#fifo.destroy();
  }

  #client(name: string): SQSClient {
    return name.endsWith(".fifo") ? this.#fifo : this.#standard;
  }

  async #createQueue(name: string, attributes: Record<string, string>): Promise<string> {
    const Attributes = name.endsWith(".fifo") ? { ...attributes, FifoQueue: "true" } : attributes;
    const { QueueUrl } = await this.#client(name).send(
      new CreateQueueCommand({ QueueName: name, Attributes }),
    );
    if (QueueUrl === undefined || queueOf({ QueueUrl }) !== name) {
      throw new Error(`No URL for the queue ${name}`);
    }
    return QueueUrl;
  }
}
