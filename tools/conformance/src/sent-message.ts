import type { FakeSqs } from "fake-sqs";

interface SentMessage {
  readonly MessageGroupId?: string | undefined;
  readonly MessageDeduplicationId?: string | undefined;
  readonly DelaySeconds?: number | undefined;
}

/** The one message that was sent, alone or in a batch. */
export function sentMessage({ requests: [request] }: FakeSqs): SentMessage {
  if (request?.operation === "SendMessage") return request.input;
  const entry = request?.operation === "SendMessageBatch" ? request.input.Entries?.[0] : undefined;
  if (entry === undefined) throw new Error("No message was sent");
  return entry;
}
