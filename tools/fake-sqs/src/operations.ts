import type {
  BatchResultErrorEntry,
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityBatchRequestEntry,
  ChangeMessageVisibilityBatchResultEntry,
  ChangeMessageVisibilityRequest,
  CreateQueueRequest,
  CreateQueueResult,
  DeleteMessageBatchRequest,
  DeleteMessageBatchRequestEntry,
  DeleteMessageBatchResultEntry,
  DeleteMessageRequest,
  GetQueueAttributesRequest,
  GetQueueAttributesResult,
  GetQueueUrlRequest,
  GetQueueUrlResult,
  PurgeQueueRequest,
  ReceiveMessageRequest,
  ReceiveMessageResult,
  SendMessageBatchRequest,
  SendMessageBatchRequestEntry,
  SendMessageBatchResultEntry,
  SendMessageRequest,
  SendMessageResult,
} from "@aws-sdk/client-sqs";

/** An answer to a batch: AWS leaves out the list that would be empty. */
export interface BatchResult<TEntry> {
  readonly Successful?: TEntry[];
  readonly Failed?: BatchResultErrorEntry[];
}

/** What an operation that answers nothing answers. */
export type Nothing = object;

/** The operations the fake knows, as plain requests and answers. */
export interface Operations {
  SendMessage: { input: SendMessageRequest; output: SendMessageResult };
  SendMessageBatch: {
    input: SendMessageBatchRequest;
    output: BatchResult<SendMessageBatchResultEntry>;
  };
  ReceiveMessage: { input: ReceiveMessageRequest; output: ReceiveMessageResult };
  DeleteMessage: { input: DeleteMessageRequest; output: Nothing };
  DeleteMessageBatch: {
    input: DeleteMessageBatchRequest;
    output: BatchResult<DeleteMessageBatchResultEntry>;
  };
  ChangeMessageVisibility: { input: ChangeMessageVisibilityRequest; output: Nothing };
  ChangeMessageVisibilityBatch: {
    input: ChangeMessageVisibilityBatchRequest;
    output: BatchResult<ChangeMessageVisibilityBatchResultEntry>;
  };
  CreateQueue: { input: CreateQueueRequest; output: CreateQueueResult };
  GetQueueUrl: { input: GetQueueUrlRequest; output: GetQueueUrlResult };
  GetQueueAttributes: { input: GetQueueAttributesRequest; output: GetQueueAttributesResult };
  PurgeQueue: { input: PurgeQueueRequest; output: Nothing };
}

export type OperationName = keyof Operations;

/** A request; narrowing on `operation` gives the type of its `input`. */
export type SqsRequest<TName extends OperationName = OperationName> = {
  [Name in TName]: { readonly operation: Name; readonly input: Operations[Name]["input"] };
}[TName];

export type BatchOperation =
  | "SendMessageBatch"
  | "DeleteMessageBatch"
  | "ChangeMessageVisibilityBatch";

export type BatchEntry =
  | SendMessageBatchRequestEntry
  | DeleteMessageBatchRequestEntry
  | ChangeMessageVisibilityBatchRequestEntry;
