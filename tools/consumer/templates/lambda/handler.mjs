import { SQSClient } from "@aws-sdk/client-sqs";
import { UrnRouter } from "@babelqueue/core";
import { createSqsHandler } from "@babelqueue/sqs/lambda";

const client = new SQSClient({ region: "us-east-1" });
// the one request is that for the release of what failed
client.send = async ({ constructor: { name } }) => console.log(name);

const router = new UrnRouter().on("urn:babel:orders:created", ({ data }) => {
  if (data.quantity < 1) throw new RangeError(`Order ${data.order_id} is empty`);
  console.log(`shipped ${data.order_id}`);
});

export const handler = createSqsHandler(router, {
  client,
  onError: (error, _envelope, message) => console.log(`${message.MessageId}: ${error}`),
});
