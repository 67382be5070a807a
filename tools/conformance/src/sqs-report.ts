import { SqsDeadLetterError, SqsDeleteError, SqsReleaseError } from "@babelqueue/sqs";
import { reportOf } from "./settlement-rows.js";

/** An error in the words of the vectors, those of a request that failed included. */
export function sqsReportOf(error: unknown): string {
  if (error instanceof SqsDeleteError) return "delete";
  if (error instanceof SqsReleaseError) return "release";
  if (error instanceof SqsDeadLetterError) return "dead_letter";
  return reportOf(error);
}
