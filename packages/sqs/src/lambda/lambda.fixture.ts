import {
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import type { Handler } from "@babelqueue/core";
import {
  createSqsHandler,
  type LambdaContext,
  type SqsBatchResponse,
  type SqsHandler,
  type SqsHandlerOptions,
  type SqsRecord,
} from "../lambda.js";
import { numberOf, Stage, URN } from "../stage.fixture.js";

/** A message as Lambda writes it, with all that it writes. */
function toRecord(message: Message, eventSourceARN: string): SqsRecord {
  const { MessageId = "", ReceiptHandle, Body, Attributes, MessageAttributes = {} } = message;
  const attributes = Object.entries(MessageAttributes).map(
    ([name, { DataType = "", StringValue, BinaryValue }]: [string, MessageAttributeValue]) => [
      name,
      {
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue && { binaryValue: Buffer.from(BinaryValue).toString("base64") }),
        stringListValues: [],
        binaryListValues: [],
        dataType: DataType,
      },
    ],
  );
  const record = {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes,
    messageAttributes: Object.fromEntries(attributes) as SqsRecord["messageAttributes"],
    md5OfBody: message.MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN,
    awsRegion: "us-east-1",
  };
  return record;
}

/** An invocation with so many ms to go, which run out on the clock. */
export function contextOf(ms: number): LambdaContext {
  const endsAt = Date.now() + ms;
  return { getRemainingTimeInMillis: () => endsAt - Date.now() };
}

/** What an invocation came to. */
export interface Invoked {
  readonly response: SqsBatchResponse;
  /** The numbers of the messages that came back; their bodies, where they have none. */
  readonly back: readonly (number | string)[];
}

/** Plays Lambda on a fake SQS: receives, calls the function, and deletes what did not fail. */
export class LambdaStage extends Stage {
  /** The function, whose handler waits for the test unless another is given. */
  function(
    options: SqsHandlerOptions = {},
    handler: Handler<{ readonly n: number }, Message> = this.handler,
  ): SqsHandler {
    return createSqsHandler(
      { [URN]: handler },
      {
        onError: (error) => void this.errors.push(error),
        onWarning: ({ code }) => void this.warnings.push(code),
        ...options,
      },
    );
  }

  /** A batch of the queues' messages. Receiving it is no request of the code under test. */
  async receive(...urls: string[]): Promise<SqsRecord[]> {
    const records: SqsRecord[] = [];
    for (const url of urls.length === 0 ? [this.url] : urls) {
      const { Messages = [] } = await this.client.send(
        new ReceiveMessageCommand({
          QueueUrl: url,
          MaxNumberOfMessages: 10,
          MessageAttributeNames: ["All"],
          MessageSystemAttributeNames: ["All"],
        }),
      );
      records.push(...Messages.map((message) => toRecord(message, this.fake.arn(url))));
    }
    this.fake.clearRequests();
    return records;
  }

  async invoke(handler: SqsHandler, context?: LambdaContext, ...urls: string[]): Promise<Invoked> {
    const Records = await this.receive(...urls);
    const response = await handler({ Records }, context);
    const failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const back: (number | string)[] = [];
    for (const { messageId, receiptHandle: ReceiptHandle, body = "", eventSourceARN } of Records) {
      if (failed.has(messageId)) back.push(body.startsWith('{"job"') ? numberOf(body) : body);
      else {
        const QueueUrl = urls.find((url) => this.fake.arn(url) === eventSourceARN) ?? this.url;
        const input = { QueueUrl, ReceiptHandle };
        await this.fake.perform({ operation: "DeleteMessage", input });
      }
    }
    return { response, back };
  }
}

/** The ids in a response. */
export function idsOf({ batchItemFailures }: SqsBatchResponse): string[] {
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}
