import { SQSClient } from "@aws-sdk/client-sqs";

// the SDK warns of the Node versions that it will leave behind one day; no news for an example
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

/** @param {string} name */
function setting(name) {
  const value = process.env[name];
  if (value === undefined) throw new Error(`Set ${name}, as main.mjs does`);
  return value;
}

/** Where main.mjs started the server, and which queues it made there. */
export function readSettings() {
  return {
    client: createClient(setting("SQS_ENDPOINT")),
    ordersUrl: setting("ORDERS_URL"),
    emailsUrl: setting("EMAILS_URL"),
  };
}

/** @param {string} endpoint */
export function createClient(endpoint) {
  const credentials = { accessKeyId: "example", secretAccessKey: "example" };
  return new SQSClient({ endpoint, region: "us-east-1", credentials });
}
