import type { Message } from "@aws-sdk/client-sqs";
import type { SqsClient } from "@babelqueue/sqs";
import type { FakeSqs } from "fake-sqs";
import { VISIBILITY_SECONDS } from "./setting.js";

/** One handle of a delete or visibility request. */
interface Settlement {
  readonly handle: string;
  /** Undefined where it deletes. */
  readonly seconds: number | undefined;
}

interface Entry {
  readonly Id?: string | undefined;
  readonly ReceiptHandle?: string | undefined;
  readonly VisibilityTimeout?: number | undefined;
}

interface Input extends Entry {
  readonly QueueUrl?: string | undefined;
  readonly Entries?: readonly Entry[] | undefined;
}

interface Output {
  readonly Messages?: readonly Message[] | undefined;
  readonly Failed?: readonly { readonly Id?: string | undefined }[] | undefined;
}

/** Sees what one consumer asks of a queue, and what it is answered; notes what must not be. */
export class Witness {
  readonly violations: string[] = [];
  /** How often each message reached the consumer. */
  readonly #deliveries = new Map<string, number>();
  readonly #idOf = new Map<string, string>();
  /** Deliveries whose answer came when their message had been deleted: nobody remembers that. */
  readonly #late = new Set<string>();
  /** The latest delivery of each message that reached the consumer. */
  readonly #newest = new Map<string, string>();
  readonly #answeredAt = new Map<string, number>();
  /** Deletes sent since the confirmed one, by message id. */
  readonly #deleted = new Map<string, number>();
  readonly #sqs: FakeSqs;
  readonly #queueUrl: string;
  readonly #mayDelete: (messageId: string) => boolean;

  /** @param mayDelete was the message handled, or copied, or is it one to be dropped? */
  constructor(sqs: FakeSqs, queueUrl: string, mayDelete: (messageId: string) => boolean) {
    this.#sqs = sqs;
    this.#queueUrl = queueUrl;
    this.#mayDelete = mayDelete;
  }

  /** The delivery was in hand when a delete of its message was confirmed. */
  knewDeleted(handle: string): boolean {
    return this.#deleted.has(this.#idOf.get(handle) ?? "") && !this.#late.has(handle);
  }

  /** When the consumer got the delivery. */
  answeredAt(handle: string): number {
    return this.#answeredAt.get(handle) ?? Number.NaN;
  }

  client(): SqsClient {
    const inner = this.#sqs.client();
    const send = async (
      command: { readonly input: Input },
      options: Parameters<typeof inner.send>[1],
    ): Promise<Output> => {
      const operation = command.constructor.name;
      const settlements = this.#sent(operation, command.input);
      const output = (await inner.send(command as never, options)) as Output;
      this.#answered(command.input, output, settlements);
      return output;
    };
    return { send } as unknown as SqsClient;
  }

  #sent(operation: string, input: Input): readonly Settlement[] {
    if (input.QueueUrl !== this.#queueUrl || /^(?:Send|Receive)/.test(operation)) return [];
    const settlements = (input.Entries ?? [input]).map((entry) => ({
      handle: entry.ReceiptHandle ?? "",
      seconds: entry.VisibilityTimeout,
    }));
    for (const settlement of settlements) this.#check(settlement);
    return settlements;
  }

  #check({ handle, seconds }: Settlement): void {
    const id = this.#idOf.get(handle);
    if (id === undefined) {
      this.violations.push(`A handle was settled that was never received`);
      return;
    }
    if (this.#newest.get(id) !== handle) {
      this.violations.push(`${id} is settled by the handle of an older delivery`);
    }
    if (seconds === undefined && !this.#mayDelete(id)) {
      this.violations.push(`${id} is deleted, and was neither handled nor dead-lettered`);
    }
    const again = this.#deleted.get(id);
    if (again === undefined || this.#late.has(handle)) return;
    // a heartbeat of another delivery may still be under way, and renews nothing
    if (seconds === VISIBILITY_SECONDS) return;
    if (seconds !== undefined) {
      this.violations.push(`${id} is made visible in ${seconds} s after its confirmed delete`);
      return;
    }
    // each further delivery in hand is deleted too: its handle may be the only one that counts
    this.#deleted.set(id, again + 1);
    if (again + 2 > (this.#deliveries.get(id) ?? 0)) {
      this.violations.push(`${id} is deleted again after its confirmed delete`);
    }
  }

  #answered(
    { Entries }: Input,
    { Messages = [], Failed = [] }: Output,
    settlements: readonly Settlement[],
  ): void {
    for (const { MessageId = "", ReceiptHandle = "" } of Messages) {
      this.#idOf.set(ReceiptHandle, MessageId);
      this.#newest.set(MessageId, ReceiptHandle);
      this.#answeredAt.set(ReceiptHandle, Date.now());
      if (this.#deleted.has(MessageId)) this.#late.add(ReceiptHandle);
      this.#deliveries.set(MessageId, (this.#deliveries.get(MessageId) ?? 0) + 1);
    }
    const failed = new Set(Failed.map(({ Id }) => Id));
    const gone = new Set(this.#sqs.deleted(this.#queueUrl));
    for (const [at, { handle, seconds }] of settlements.entries()) {
      const id = this.#idOf.get(handle) ?? "";
      const isConfirmed = seconds === undefined && !failed.has(Entries?.[at]?.Id);
      // an old handle's delete is confirmed, and does nothing
      if (isConfirmed && gone.has(id) && !this.#deleted.has(id)) this.#deleted.set(id, 0);
    }
  }
}
