import type { SQSClient } from "@aws-sdk/client-sqs";

/** What is used of the AWS SDK's `SQSClient`: credentials, region, retries and sockets stay yours. */
export type SqsClient = Pick<SQSClient, "send">;
