import { SQSClient } from "@aws-sdk/client-sqs";

// the SDK warns of the Node versions that it will leave behind one day; no news for a demo
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

/**
 * @typedef Endpoint
 * @property {SQSClient} client
 * @property {string} url
 * @property {string} where what it is, for people
 * @property {string} queuePrefix goes before the names of queues, so that they are nobody else's
 * @property {() => Promise<void>} close
 */

/**
 * An SQS server embedded in this process.
 *
 * @returns {Promise<Endpoint>}
 */
export async function embedServer() {
  const { buildApp } = await import("fauxqs");
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = localClient(endpoint);
  return {
    client,
    url: endpoint,
    where: `An SQS server embedded in this process, ${endpoint}`,
    queuePrefix: "",
    close: async () => {
      client.destroy();
      await app.close();
    },
  };
}

/**
 * Any other SQS: an emulator, or AWS itself, with the credentials that the AWS SDK finds.
 *
 * @param {string} endpoint
 * @param {string | undefined} region
 * @returns {Endpoint}
 */
export function connect(endpoint, region) {
  const { hostname } = new URL(endpoint);
  const isAws = /(^|\.)amazonaws\.com(\.cn)?$/.test(hostname);
  const client = isAws
    ? new SQSClient({ endpoint, region: region ?? hostname.split(".").at(1) ?? "us-east-1" })
    : localClient(endpoint, region);
  return {
    client,
    url: endpoint,
    where: `${isAws ? "Amazon SQS" : "SQS"} at ${endpoint}`,
    queuePrefix: `babelqueue-demo-${crypto.randomUUID().slice(0, 8)}-`,
    close: async () => client.destroy(),
  };
}

/**
 * Emulators take any region and credentials, but the AWS SDK wants some.
 *
 * @param {string} endpoint
 */
function localClient(endpoint, region = "us-east-1") {
  const credentials = { accessKeyId: "demo", secretAccessKey: "demo" };
  return new SQSClient({ endpoint, region, credentials });
}
