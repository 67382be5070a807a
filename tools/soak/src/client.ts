import { SQSClient } from "@aws-sdk/client-sqs";

/** @param endpoint the path tells the proxy who it is */
export function createClient(endpoint: string, maxAttempts: number): SQSClient {
  return new SQSClient({
    endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "soak", secretAccessKey: "soak" },
    maxAttempts,
    requestHandler: { httpAgent: { keepAlive: true, maxSockets: 200 } },
  });
}
