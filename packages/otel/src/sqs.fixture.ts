import {
  CreateQueueCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { Handler, Warning } from "@babelqueue/core";
import {
  SqsConsumer,
  type SqsConsumerOptions,
  SqsPublisher,
  type SqsPublisherOptions,
} from "@babelqueue/sqs";
import { buildApp } from "fauxqs";
import { onTestFinished } from "vitest";
import { otel } from "./index.js";
import { URN } from "./messages.fixture.js";
import type { OtelOptions } from "./options.js";

type Handle = Handler<never, Message>;

function ignore(): void {
  // what the transport warns of is the business of its own tests
}

/** One queue on an SQS server that is reached over HTTP, with tracing on both sides of it. */
export class Stage {
  readonly client: SQSClient;
  readonly url: string;
  readonly warnings: Warning[] = [];
  /** What the consumer's `onError` was told. */
  readonly errors: unknown[] = [];
  readonly #options: OtelOptions;

  constructor(client: SQSClient, url: string, options: OtelOptions) {
    this.client = client;
    this.url = url;
    this.#options = { onWarning: (warning) => this.warnings.push(warning), ...options };
  }

  publisher(options: SqsPublisherOptions = {}): SqsPublisher {
    const middleware = [otel(this.#options).send];
    return new SqsPublisher(this.client, this.url, { middleware, onWarning: ignore, ...options });
  }

  consumer(handle: Handle, options: SqsConsumerOptions = {}): SqsConsumer {
    return new SqsConsumer(
      this.client,
      this.url,
      { [URN]: handle },
      {
        waitTimeSeconds: 1,
        middleware: [otel(this.#options).consume],
        onError: (error) => this.errors.push(error),
        ...options,
      },
    );
  }

  /** Receives what is there, once; the handler does nothing by default. */
  async consume(
    handle: Handle = () => undefined,
    options: SqsConsumerOptions = {},
  ): Promise<number> {
    return this.consumer(handle, options).poll();
  }

  /** Sends as any other program might. */
  async put(body: string, attributes: Readonly<Record<string, string>> = {}): Promise<void> {
    const MessageAttributes = Object.fromEntries(
      Object.entries(attributes).map(([name, StringValue]) => [
        name,
        { DataType: "String", StringValue },
      ]),
    );
    await this.client.send(
      new SendMessageCommand({ QueueUrl: this.url, MessageBody: body, MessageAttributes }),
    );
  }

  /** The messages in the queue, which stay visible. */
  async look(): Promise<readonly Message[]> {
    const { Messages = [] } = await this.client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.url,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 0,
        MessageAttributeNames: ["All"],
      }),
    );
    return Messages;
  }

  /** The attributes of the only message in the queue, as text. */
  async attributes(): Promise<Record<string, string | undefined>> {
    const [message, ...others] = await this.look();
    if (message === undefined || others.length > 0) {
      throw new Error(`Expected one message, found ${others.length}`);
    }
    return textsOf(message.MessageAttributes ?? {});
  }
}

function textsOf(
  attributes: Readonly<Record<string, MessageAttributeValue>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { StringValue }]) => [name, StringValue]),
  );
}

/** A server of its own, with one queue `orders`, until the test is finished. */
export async function startStage(options: OtelOptions = {}): Promise<Stage> {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ port: 0, host: "127.0.0.1" });
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new SQSClient({ endpoint, region: "us-east-1", credentials });
  onTestFinished(async () => {
    client.destroy();
    await app.close();
  });
  const { QueueUrl = "" } = await client.send(new CreateQueueCommand({ QueueName: "orders" }));
  return new Stage(client, QueueUrl, options);
}

/** A body as the SDK of another language writes it: PHP's, say. */
export function foreignBody(traceId: string): string {
  return JSON.stringify({
    job: URN,
    trace_id: traceId,
    data: { order_id: 7 },
    meta: {
      id: "f1e2d3c4-b5a6-4789-90ab-cdef01234567",
      queue: "orders",
      lang: "php",
      schema_version: 1,
      created_at: 1_749_132_727_000,
    },
    attempts: 0,
  });
}
