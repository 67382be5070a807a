import { type Message, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { SqsReceiveError } from "../errors.js";
import type { Queue } from "../wire/queue.js";
import type { SqsClient } from "./client.js";
import { failedRequest, REGION_MISSING } from "./result.js";

/** What no waiting mends: the queue is not there, or the credentials are refused. */
const HOPELESS = new Set([
  "QueueDoesNotExist",
  "NonExistentQueue",
  "InvalidAddress",
  "InvalidSecurity",
  "AccessDenied",
  "AccessDeniedException",
  "KmsAccessDenied",
  "CredentialsProviderError",
  "ExpiredToken",
  "ExpiredTokenException",
  "InvalidAccessKeyId",
  "InvalidClientTokenId",
  "InvalidSignatureException",
  "InvalidToken",
  "MissingAuthenticationToken",
  "OptInRequired",
  REGION_MISSING,
  "SignatureDoesNotMatch",
  "UnrecognizedClientException",
]);

export function isHopeless(error: unknown): boolean {
  return error instanceof SqsReceiveError && HOPELESS.has(error.code);
}

export interface ReceiveOptions {
  readonly client: SqsClient;
  readonly queue: Queue;
  readonly waitTimeSeconds: number;
  readonly visibilityTimeoutSeconds: number | undefined;
}

/**
 * Receives once. An abort is no failure: it brings nothing.
 *
 * @throws (rejects) {@link SqsReceiveError}
 */
export async function receive(
  { client, queue, waitTimeSeconds, visibilityTimeoutSeconds }: ReceiveOptions,
  max: number,
  abortSignal: AbortSignal,
): Promise<readonly Message[] | undefined> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queue.url,
    MaxNumberOfMessages: max,
    WaitTimeSeconds: waitTimeSeconds,
    ...(visibilityTimeoutSeconds === undefined
      ? undefined
      : { VisibilityTimeout: visibilityTimeoutSeconds }),
    MessageAttributeNames: ["All"],
    MessageSystemAttributeNames: ["ApproximateReceiveCount", "MessageGroupId"],
  });
  try {
    const { Messages = [] } = await client.send(command, { abortSignal });
    return Messages;
  } catch (thrown) {
    if (abortSignal.aborted) return undefined;
    throw new SqsReceiveError(queue.name, failedRequest(thrown));
  }
}
