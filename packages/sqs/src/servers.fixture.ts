import { randomUUID } from "node:crypto";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { FakeSqs } from "fake-sqs";
import { buildApp } from "fauxqs";
import { afterAll, vi } from "vitest";

export type Kind = "standard" | "fifo";
export type Attributes = Readonly<Record<string, MessageAttributeValue>>;

/** A message as a test looks at it. */
export interface Letter {
  readonly id: string | undefined;
  readonly body: string | undefined;
  readonly attributes: Attributes;
  readonly group: string | undefined;
  readonly deduplicationId: string | undefined;
  readonly receiveCount: string | undefined;
}

/** Where the one message of a queue is. */
export type Place = "gone" | "visible" | "hidden";

/** An SQS server, and the steps that nearly every test takes. All of it goes through the client. */
export class Server {
  readonly name: string;
  readonly client: SQSClient;

  constructor(name: string, client: SQSClient) {
    this.name = name;
    this.client = client;
  }

  /** A queue that nobody used before. */
  async createQueue(
    kind: Kind = "standard",
    attributes: Record<string, string> = {},
  ): Promise<string> {
    const fifo = kind === "fifo";
    const command = new CreateQueueCommand({
      QueueName: `orders-${randomUUID()}${fifo ? ".fifo" : ""}`,
      Attributes: { ...attributes, ...(fifo ? { FifoQueue: "true" } : undefined) },
    });
    const { QueueUrl = "" } = await this.client.send(command);
    return QueueUrl;
  }

  /** For a `RedrivePolicy`. */
  async arnOf(url: string): Promise<string> {
    const { Attributes } = await this.client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] }),
    );
    return Attributes?.QueueArn ?? "";
  }

  /** Sends as any other program might; returns the message id. */
  async put(url: string, body: string, MessageAttributes: Attributes = {}): Promise<string> {
    const { MessageId = "" } = await this.client.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: body,
        MessageAttributes,
        ...(url.endsWith(".fifo")
          ? { MessageGroupId: "a-group", MessageDeduplicationId: randomUUID() }
          : undefined),
      }),
    );
    return MessageId;
  }

  /** Ten visible messages at most, which stay visible. */
  async letters(url: string): Promise<Letter[]> {
    const { Messages = [] } = await this.client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 0,
        WaitTimeSeconds: 0,
        MessageAttributeNames: ["All"],
        MessageSystemAttributeNames: ["All"],
      }),
    );
    return Messages.map(toLetter);
  }

  /** The only visible message. */
  async letter(url: string): Promise<Letter> {
    const [letter, ...others] = await this.letters(url);
    if (letter === undefined || others.length > 0) {
      throw new Error(`Expected one message in ${url}, found ${letter ? others.length + 1 : 0}`);
    }
    return letter;
  }

  async count(url: string): Promise<{ visible: number; hidden: number }> {
    const { Attributes = {} } = await this.client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["All"] }),
    );
    return {
      visible: Number(Attributes.ApproximateNumberOfMessages),
      hidden: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
    };
  }

  async total(url: string): Promise<number> {
    const { visible, hidden } = await this.count(url);
    return visible + hidden;
  }

  async placeOf(url: string): Promise<Place> {
    const { visible, hidden } = await this.count(url);
    if (visible + hidden > 1) throw new Error(`${visible + hidden} messages in ${url}`);
    if (visible === 1) return "visible";
    return hidden === 1 ? "hidden" : "gone";
  }
}

function toLetter({ MessageId, Body, MessageAttributes = {}, Attributes = {} }: Message): Letter {
  return {
    id: MessageId,
    body: Body,
    attributes: MessageAttributes,
    group: Attributes.MessageGroupId,
    deduplicationId: Attributes.MessageDeduplicationId,
    receiveCount: Attributes.ApproximateReceiveCount,
  };
}

/** The strict fake. */
export class FakeServer extends Server {
  readonly fake: FakeSqs;

  constructor(fake: FakeSqs = new FakeSqs()) {
    super("fake-sqs", fake.client());
    this.fake = fake;
  }

  /** The names of the requests made so far, by the code as by the test. */
  get operations(): string[] {
    return this.fake.requests.map(({ operation }) => operation);
  }
}

async function startFauxqs(): Promise<Server> {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = new SQSClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  afterAll(async () => {
    client.destroy();
    await app.close();
  });
  return new Server("fauxqs", client);
}

/** Every behaviour that both can show is tested on both. */
export const SERVERS: readonly Server[] = [await startFauxqs(), new FakeServer()];

/** A client that changes what is received, as an emulator or an instrumentation may. */
export function tampering(client: SQSClient, change: (message: Message) => Message): SQSClient {
  const send = async (...args: Parameters<SQSClient["send"]>): Promise<unknown> => {
    const output: unknown = await Promise.resolve(client.send(...args));
    const { Messages } = output as { Messages?: Message[] };
    return Messages === undefined
      ? output
      : { ...(output as object), Messages: Messages.map(change) };
  };
  return { send } as unknown as SQSClient;
}

/** Moves the clock of both servers. Undo it with `vi.useRealTimers()`. */
export function passSeconds(seconds: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 });
}

/** The name of a queue. */
export function nameOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}
