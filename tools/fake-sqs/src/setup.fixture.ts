import {
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageRequest,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { FakeSqs, type FakeSqsOptions } from "./fake-sqs.js";
import type { QueueAttributes } from "./queue-attributes.js";

export interface Setup {
  readonly fake: FakeSqs;
  readonly client: SQSClient;
  readonly url: string;
  readonly send: (body: string, groupId?: string) => Promise<void>;
  /** Receives ten without waiting, unless told otherwise. */
  readonly receive: (input?: Partial<ReceiveMessageRequest>) => Promise<Message[]>;
  readonly receiveBodies: (
    input?: Partial<ReceiveMessageRequest>,
  ) => Promise<(string | undefined)[]>;
}

/** A fake with one queue, and the two steps nearly every test takes. */
export function setUp(
  name: string,
  attributes: QueueAttributes = {},
  options: FakeSqsOptions = {},
): Setup {
  const fake = new FakeSqs(options);
  const client = fake.client();
  const url = fake.createQueue(name, attributes);
  const receive = async (input: Partial<ReceiveMessageRequest> = {}): Promise<Message[]> => {
    const command = new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, ...input });
    return (await client.send(command)).Messages ?? [];
  };
  return {
    fake,
    client,
    url,
    receive,
    async send(MessageBody, MessageGroupId) {
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody, MessageGroupId }));
    },
    async receiveBodies(input) {
      return (await receive(input)).map((message) => message.Body);
    },
  };
}

/** A clock that stands until it is moved; for tests without long polls. */
export function standingClock(): { now: () => number; pass: (seconds: number) => void } {
  let ms = 1_750_000_000_000;
  return {
    now: () => ms,
    pass: (seconds) => {
      ms += seconds * 1000;
    },
  };
}
