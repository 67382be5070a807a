import { setTimeout as sleep } from "node:timers/promises";
import { type Message, SQSClient } from "@aws-sdk/client-sqs";

/** A client whose queue is an array; `deleted` are the receipt handles of what was deleted. */
export function fakeClient(deleted: string[]): SQSClient {
  const queue: Message[] = [];
  const client = new SQSClient({ region: "us-east-1" });
  client.send = (async ({
    constructor: { name },
    input,
  }: {
    constructor: Function;
    input: any;
  }) => {
    if (name === "SendMessageCommand") queue.push({ ...input, Body: input.MessageBody });
    if (name === "ReceiveMessageCommand") {
      await sleep(20);
      const messages = queue.splice(0).map((message) => ({
        ...message,
        MessageId: "m-1",
        ReceiptHandle: "r-1",
      }));
      return { $metadata: {}, Messages: messages };
    }
    const entries: { Id: string; ReceiptHandle: string }[] = input.Entries ?? [];
    if (name === "DeleteMessageCommand") deleted.push(input.ReceiptHandle);
    if (name === "DeleteMessageBatchCommand") {
      deleted.push(...entries.map(({ ReceiptHandle }) => ReceiptHandle));
    }
    return { $metadata: {}, MessageId: "m-1", Successful: entries.map(({ Id }) => ({ Id })) };
  }) as typeof client.send;
  return client;
}
