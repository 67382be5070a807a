import { randomUUID } from "node:crypto";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { isOperation } from "./dispatch.js";
import type { SqsRequest } from "./operations.js";

interface Command {
  readonly input: object;
}

interface SendOptions {
  readonly abortSignal?: AbortSignal | undefined;
}

type Perform = (request: SqsRequest, signal: AbortSignal | undefined) => Promise<object>;

/**
 * The part of an `SQSClient` that SQS libraries use: `send`, with the SDK's real command objects
 * and an abort signal, and `destroy`.
 */
export function clientFor(perform: Perform): SQSClient {
  const client = {
    async send(command: Command, options: SendOptions = {}): Promise<object> {
      const answer = await perform(requestOf(command), options.abortSignal);
      const $metadata = { httpStatusCode: 200, requestId: randomUUID(), attempts: 1 };
      return { ...answer, $metadata };
    },
    destroy(): void {},
  };
  // The one place where the fake is passed off as the SDK's class.
  return client as unknown as SQSClient;
}

/** By the name of the command's class, as a test may hold another copy of the SDK than the code. */
function requestOf(command: Command): SqsRequest {
  const { name } = command.constructor;
  const operation = name.replace(/Command$/, "");
  if (!isOperation(operation)) throw new TypeError(`fake-sqs does not know the command ${name}`);
  // What a command carries is not checked by its type but by the operation, as AWS does.
  return { operation, input: command.input } as SqsRequest;
}
