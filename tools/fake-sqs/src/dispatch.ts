import { changeMessageVisibility, changeMessageVisibilityBatch } from "./change-visibility.js";
import type { Context } from "./context.js";
import { deleteMessage, deleteMessageBatch } from "./delete-message.js";
import type { OperationName, Operations, SqsRequest } from "./operations.js";
import { createQueue, getQueueAttributes, getQueueUrl, purgeQueue } from "./queue-operations.js";
import { receiveMessage } from "./receive-message.js";
import { sendMessage, sendMessageBatch } from "./send-message.js";

type Output<TName extends OperationName> =
  | Operations[TName]["output"]
  | Promise<Operations[TName]["output"]>;

type Handlers = {
  readonly [Name in OperationName]: (
    context: Context,
    input: Operations[Name]["input"],
  ) => Output<Name>;
};

const HANDLERS: Handlers = {
  SendMessage: sendMessage,
  SendMessageBatch: sendMessageBatch,
  ReceiveMessage: receiveMessage,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  ChangeMessageVisibility: changeMessageVisibility,
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,
  CreateQueue: createQueue,
  GetQueueUrl: getQueueUrl,
  GetQueueAttributes: getQueueAttributes,
  PurgeQueue: purgeQueue,
};

/** Whether the fake knows the operation, by its name in the API ("SendMessage"). */
export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(HANDLERS, name);
}

/** Applies a request to the queues. */
export function dispatch<TName extends OperationName>(
  context: Context,
  request: SqsRequest<TName>,
): Output<TName> {
  return HANDLERS[request.operation](context, request.input);
}
