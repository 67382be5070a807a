import { InvalidArgumentError } from "@babelqueue/core";
import { type Queue, requireOther } from "../wire/queue.js";
import type { SqsRecord } from "./event.js";

/** The URL of the queue with this ARN, or of all of them. */
export type QueueUrlOption = string | ((queueArn: string) => string) | undefined;

/** Where AWS is not below `amazonaws.com`, by the partition of the ARN. */
const DOMAINS: Readonly<Record<string, string>> = {
  "aws-cn": "amazonaws.com.cn",
  "aws-eusc": "amazonaws.eu",
  "aws-iso": "c2s.ic.gov",
  "aws-iso-b": "sc2s.sgov.gov",
  "aws-iso-e": "cloud.adc-e.uk",
  "aws-iso-f": "csp.hci.ic.gov",
};

/** `arn:PARTITION:sqs:REGION:ACCOUNT:NAME` (AWS IAM User Guide, "Amazon Resource Names"). */
const ARN = /^arn:([\w-]+):sqs:([\w-]+):(\d+):([\w.-]+)$/;

/** The queue that a record came from; a record that does not say so is of a standard queue. */
export function queueOfArn(arn: unknown, queueUrl: QueueUrlOption): Queue {
  const text = typeof arn === "string" ? arn : "";
  const name = text.slice(text.lastIndexOf(":") + 1);
  return {
    name: name === "" ? "unknown" : name,
    fifo: name.endsWith(".fifo"),
    // on demand: only a release needs it
    get url() {
      if (queueUrl === undefined) return urlOf(text);
      return typeof queueUrl === "string" ? queueUrl : queueUrl(text);
    },
  };
}

/**
 * @throws {@link InvalidArgumentError} if records come from the dead-letter queue itself: each copy
 * would be a new message of it, for ever.
 */
export function requireOtherSources(
  records: readonly SqsRecord[],
  deadLetterQueue: Queue,
  queueUrl: QueueUrlOption,
): void {
  const arns = new Set<unknown>(records.map(({ eventSourceARN }) => eventSourceARN));
  for (const arn of arns) {
    // of another ARN no URL follows
    if (typeof arn !== "string" || (queueUrl === undefined && !ARN.test(arn))) continue;
    requireOther(deadLetterQueue, queueOfArn(arn, queueUrl));
  }
}

/** `GetQueueUrl` would cost a request and say the same. */
function urlOf(arn: string): string {
  const [, partition = "", region, account, name] = ARN.exec(arn) ?? [];
  if (name === undefined) {
    throw new InvalidArgumentError(
      "event",
      "the eventSourceARN of a record is not the ARN of an SQS queue; set queueUrl",
    );
  }
  return `https://sqs.${region}.${DOMAINS[partition] ?? "amazonaws.com"}/${account}/${name}`;
}
