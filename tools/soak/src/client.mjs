import { SQSClient } from "@aws-sdk/client-sqs";

/**
 * @param {string} endpoint the path tells the proxy who it is
 * @param {number} maxAttempts
 */
export function createClient(endpoint, maxAttempts) {
  return new SQSClient({
    endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "soak", secretAccessKey: "soak" },
    maxAttempts,
    requestHandler: { httpAgent: { keepAlive: true, maxSockets: 200 } },
  });
}
