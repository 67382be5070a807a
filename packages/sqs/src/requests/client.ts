import type { SQSClient } from "@aws-sdk/client-sqs";
import { InvalidArgumentError } from "@babelqueue/core";

/** What is used of the AWS SDK's `SQSClient`: credentials, region, retries and sockets stay yours. */
export type SqsClient = Pick<SQSClient, "send">;

/** @throws {@link InvalidArgumentError} for what has no `send`. */
export function requireClient(client: unknown): void {
  if (typeof (client as Partial<SqsClient> | null | undefined)?.send === "function") return;
  throw new InvalidArgumentError("client", "expected an SQSClient of @aws-sdk/client-sqs");
}

/** The client, but its requests end when the signal aborts. */
export function endingWith(client: SqsClient, signal: AbortSignal): SqsClient {
  const send = (command: never): unknown =>
    // a signal each: Node warns of many listeners on one
    client.send(command, { abortSignal: AbortSignal.any([signal]) });
  return { send: send as unknown as SqsClient["send"] };
}
