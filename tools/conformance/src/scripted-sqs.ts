import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { FakeSqs } from "fake-sqs";

/** What a client is made to refuse. */
export type Failing = "delete" | "release" | "dead_letter";
/** The request as a whole, or only its entry, where the request is a batch. */
type FailingHow = "request" | "entry";

export interface ScriptedOptions {
  readonly queue?: string;
  readonly deadLetterQueue?: string;
  readonly failing?: Failing | undefined;
  readonly how?: FailingHow;
}

const RECEIPT = "the-receipt-handle";

/**
 * A client that hands out one message as written, also such as no queue would hold (an empty
 * attribute, a count that is no number), and records how it is settled. What is sent goes to the
 * strict fake, which refuses what SQS refuses.
 */
export class ScriptedSqs {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly #fake = new FakeSqs();
  readonly #fakeClient = this.#fake.client();
  readonly #options: ScriptedOptions;
  #message: Message | undefined;
  /** How the message was settled, in order: "delete", "release 5", "send". */
  readonly settled: string[] = [];

  constructor(message: Message, options: ScriptedOptions = {}) {
    this.#options = options;
    this.#message = { MessageId: "the-message-id", ReceiptHandle: RECEIPT, ...message };
    this.queueUrl = this.#fake.createQueue(options.queue ?? "returns");
    this.deadLetterQueueUrl = this.#fake.createQueue(options.deadLetterQueue ?? "returns-dlq");
  }

  /** What lies in the dead-letter queue. */
  get deadLetters(): ReturnType<FakeSqs["messages"]> {
    return this.#fake.messages(this.deadLetterQueueUrl);
  }

  client(): SQSClient {
    const send = async (command: object): Promise<object> => this.#perform(command);
    return { send, destroy: () => undefined } as unknown as SQSClient;
  }

  async #perform(command: object): Promise<object> {
    if (command instanceof ReceiveMessageCommand) {
      const messages = this.#message === undefined ? undefined : [this.#message];
      this.#message = undefined;
      return messages === undefined ? {} : { Messages: messages };
    }
    if (command instanceof DeleteMessageCommand) {
      return this.#settle("delete", ["delete"], undefined);
    }
    if (command instanceof DeleteMessageBatchCommand) {
      const entries = command.input.Entries ?? [];
      return this.#settle("delete", ["delete"], entries[0]?.Id);
    }
    if (command instanceof ChangeMessageVisibilityCommand) {
      return this.#settle("release", [`release ${command.input.VisibilityTimeout}`], undefined);
    }
    if (command instanceof ChangeMessageVisibilityBatchCommand) {
      const [entry] = command.input.Entries ?? [];
      return this.#settle("release", [`release ${entry?.VisibilityTimeout}`], entry?.Id);
    }
    return this.#sendOn(command);
  }

  #settle(what: Failing, done: readonly string[], id: string | undefined): object {
    const refused = this.#refusal(what, id);
    if (refused !== undefined) return refused;
    this.settled.push(...done);
    return id === undefined ? {} : { Successful: [{ Id: id }] };
  }

  /** A dead-letter: to the fake, by the client that knows its queues. */
  async #sendOn(command: object): Promise<object> {
    const { input } = command as { input: { Entries?: readonly { Id?: string }[] } };
    const refused = this.#refusal("dead_letter", input.Entries?.[0]?.Id);
    if (refused !== undefined) return refused;
    const answer = await this.#fakeClient.send(command as never);
    this.settled.push("send");
    return answer;
  }

  /** Throws, or returns the answer in which the entry failed, or returns nothing. */
  #refusal(what: Failing, id: string | undefined): object | undefined {
    if (this.#options.failing !== what) return undefined;
    const Message = "You may not do this.";
    if (id !== undefined && this.#options.how === "entry") {
      return { Failed: [{ Id: id, Code: "AccessDenied", SenderFault: true, Message }] };
    }
    throw Object.assign(new Error(Message), { name: "AccessDenied", $fault: "client" });
  }
}
