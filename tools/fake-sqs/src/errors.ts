import { randomUUID } from "node:crypto";
import {
  BatchEntryIdsNotDistinct,
  BatchRequestTooLong,
  EmptyBatchRequest,
  InvalidAttributeName,
  InvalidAttributeValue,
  InvalidBatchEntryId,
  InvalidMessageContents,
  MessageNotInflight,
  QueueDoesNotExist,
  QueueNameExists,
  ReceiptHandleIsInvalid,
  RequestThrottled,
  SQSServiceException,
  TooManyEntriesInBatchRequest,
} from "@aws-sdk/client-sqs";

/**
 * Errors as the AWS SDK raises them: its own exception class where it has one, otherwise a plain
 * `SQSServiceException` with the error code as its name. Texts are those recorded from AWS
 * wherever a recording is known.
 */

type Metadata = SQSServiceException["$metadata"];
type Exception = new (options: { message: string; $metadata: Metadata }) => SQSServiceException;

const metadata = (httpStatusCode: number): Metadata => ({
  httpStatusCode,
  requestId: randomUUID(),
  attempts: 1,
  totalRetryDelay: 0,
});

function modelled(Class: Exception, message: string, status = 400): SQSServiceException {
  return new Class({ message, $metadata: metadata(status) });
}

function unmodelled(
  name: string,
  message: string,
  $fault: "client" | "server" = "client",
  status = 400,
): SQSServiceException {
  return new SQSServiceException({ name, message, $fault, $metadata: metadata(status) });
}

/** `InvalidParameterValue` with a text of its own. */
export function invalidParameter(message: string): SQSServiceException {
  return unmodelled("InvalidParameterValue", message);
}

/** `InvalidParameterValue` in AWS's usual form: "Value 11 for parameter X is invalid. Reason: …". */
export function invalidValue(
  parameter: string,
  value: unknown,
  reason: string,
): SQSServiceException {
  return invalidParameter(
    `Value ${String(value)} for parameter ${parameter} is invalid. Reason: ${reason}`,
  );
}

/** `MissingParameter`: "The request must contain the parameter X." */
export function missingParameter(parameter: string): SQSServiceException {
  return unmodelled("MissingParameter", `The request must contain the parameter ${parameter}.`);
}

export function queueDoesNotExist(): SQSServiceException {
  return modelled(QueueDoesNotExist, "The specified queue does not exist.");
}

export function queueNameExists(attribute: string): SQSServiceException {
  return modelled(
    QueueNameExists,
    `A queue already exists with the same name and a different value for attribute ${attribute}`,
  );
}

export function unknownAttribute(name: string): SQSServiceException {
  return modelled(InvalidAttributeName, `Unknown Attribute ${name}.`);
}

export function invalidAttributeValue(name: string): SQSServiceException {
  return modelled(InvalidAttributeValue, `Invalid value for the parameter ${name}.`);
}

export function invalidMessageContents(message: string): SQSServiceException {
  return modelled(InvalidMessageContents, message);
}

export function receiptHandleIsInvalid(handle: string): SQSServiceException {
  return modelled(
    ReceiptHandleIsInvalid,
    `The input receipt handle "${handle}" is not a valid receipt handle.`,
    404,
  );
}

export function messageNotInFlight(): SQSServiceException {
  return modelled(MessageNotInflight, "The specified message isn't in flight.");
}

export function emptyBatch(): SQSServiceException {
  return modelled(EmptyBatchRequest, "There should be at least one entry in the request.");
}

export function tooManyEntries(sent: number): SQSServiceException {
  return modelled(
    TooManyEntriesInBatchRequest,
    `Maximum number of entries per request are 10. You have sent ${sent}.`,
  );
}

export function invalidBatchEntryId(): SQSServiceException {
  return modelled(
    InvalidBatchEntryId,
    "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.",
  );
}

export function batchEntryIdsNotDistinct(id: string): SQSServiceException {
  return modelled(BatchEntryIdsNotDistinct, `Id ${id} repeated.`);
}

/** Also of use to tests: a queue may allow less than 1 MiB, instrumentation may add bytes. */
export function batchRequestTooLong(sent: number, limit: number): SQSServiceException {
  return modelled(
    BatchRequestTooLong,
    `Batch requests cannot be longer than ${limit} bytes. You have sent ${sent} bytes.`,
  );
}

/** SQS asks for a slower pace; for a request hook. */
export function throttled(): SQSServiceException {
  return modelled(RequestThrottled, "The request was denied due to request throttling.", 403);
}

/** SQS is down for a moment (503, the server's fault); for a request or an answer hook. */
export function serviceUnavailable(): SQSServiceException {
  return unmodelled("ServiceUnavailable", "Service is unavailable.", "server", 503);
}

/** The connection broke; as Node raises it, no exception of the service. */
export function connectionReset(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
}
