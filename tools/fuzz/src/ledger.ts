import { createEnvelope, encodeEnvelope } from "@babelqueue/core";
import type { FakeSqs } from "fake-sqs";
import type { Setting } from "./setting.js";

export const URN = "urn:babel:orders:created";

export type Kind = "good" | "unknown" | "poison" | "gated";

/** A message that SQS took. */
export interface Published {
  readonly n: number;
  readonly id: string;
  readonly kind: Kind;
  readonly group: string;
  isHandled: boolean;
}

/** The queues, what was published, and where it is. */
export class Ledger {
  readonly url: string;
  readonly deadLetterUrl: string;
  readonly #redriveUrl: string;
  readonly #setting: Setting;
  readonly #sqs: FakeSqs;
  readonly #published = new Map<string, Published>();

  constructor(sqs: FakeSqs, setting: Setting, visibilitySeconds: number) {
    const suffix = setting.isFifo ? ".fifo" : "";
    const { maxReceiveCount } = setting;
    this.#sqs = sqs;
    this.#setting = setting;
    this.deadLetterUrl = sqs.createQueue(`orders-dlq${suffix}`);
    this.#redriveUrl = sqs.createQueue(`orders-redrive${suffix}`);
    const deadLetterTargetArn = sqs.arn(this.#redriveUrl);
    this.url = sqs.createQueue(`orders${suffix}`, {
      VisibilityTimeout: visibilitySeconds,
      ...(maxReceiveCount !== null && { RedrivePolicy: { deadLetterTargetArn, maxReceiveCount } }),
    });
  }

  async publish(kind: Kind, group: string): Promise<void> {
    const n = this.#published.size;
    const urn = kind === "unknown" ? "urn:babel:nobody:knows" : URN;
    // one kind of poison is copied as text beside a block, the other gains the block
    const poison = n % 2 === 0 ? `poison ${n}` : `{"data":{"n":${n}}}`;
    const MessageBody = kind === "poison" ? poison : encodeEnvelope(createEnvelope(urn, { n }));
    const version = { DataType: "Number", StringValue: "2" };
    const { isFifo } = this.#setting;
    const input = {
      QueueUrl: this.url,
      MessageBody,
      ...(kind === "gated" && { MessageAttributes: { "bq-schema-version": version } }),
      ...(isFifo && { MessageGroupId: group, MessageDeduplicationId: String(n) }),
    };
    const { MessageId: id = "" } = await this.#sqs.perform({ operation: "SendMessage", input });
    this.#published.set(id, { n, id, kind, group, isHandled: false });
  }

  byId(id: string): Published {
    const found = this.#published.get(id);
    if (found === undefined) throw new RangeError(`${id} was never published`);
    return found;
  }

  /** A strategy says that it may vanish. */
  isDroppable({ kind }: Published): boolean {
    const { unknownUrnStrategy: strategy } = this.#setting.options;
    const { hasDeadLetters } = this.#setting;
    switch (kind) {
      case "good":
        return false;
      case "unknown":
        return strategy === "delete" || (strategy === "dead_letter" && !hasDeadLetters);
      case "poison":
      case "gated":
        return strategy === "delete";
    }
  }

  /** A consumer wrote a copy to its dead-letter queue. */
  isCopied({ n }: Published): boolean {
    return this.#sqs.messages(this.deadLetterUrl).some(({ body }) => numberIn(body) === n);
  }

  /** Nothing keeps it from being deleted. */
  isDone(message: Published): boolean {
    return message.isHandled || this.isDroppable(message) || this.isCopied(message);
  }

  /** Those of its group that SQS took before it and that are neither done nor moved by redrive. */
  undoneBefore({ n, group }: Published): readonly Published[] {
    const waiting = this.#idsIn(this.url);
    return [...this.#published.values()].filter(
      (other) =>
        other.group === group && other.n < n && waiting.has(other.id) && !this.isDone(other),
    );
  }

  /** Neither handled, nor in a dead-letter queue, nor still in the queue. */
  lost(): readonly Published[] {
    const there = new Set([...this.#idsIn(this.url), ...this.#idsIn(this.#redriveUrl)]);
    return [...this.#published.values()].filter(
      (message) => !there.has(message.id) && !this.isDone(message),
    );
  }

  /** Good ones that are in the queue, not handled, and that nothing stands before for good. */
  unhandled(): readonly Published[] {
    const waiting = this.#idsIn(this.url);
    return [...this.#published.values()].filter(
      (message) =>
        message.kind === "good" &&
        !message.isHandled &&
        waiting.has(message.id) &&
        !(this.#setting.isFifo && this.undoneBefore(message).some(({ kind }) => kind !== "good")),
    );
  }

  #idsIn(url: string): ReadonlySet<string> {
    return new Set(this.#sqs.messages(url).map(({ messageId }) => messageId));
  }
}

function numberIn(body: string): number {
  const { raw, data } = JSON.parse(body) as { raw?: string; data?: { n: number } };
  return data?.n ?? Number(raw?.replace("poison ", ""));
}
