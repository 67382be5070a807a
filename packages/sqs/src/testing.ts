import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { InvalidArgumentError } from "@babelqueue/core";

export interface StartSqsOptions {
  /** Queues to begin with, by name. One whose name ends in `.fifo` is FIFO. Default: none. */
  readonly queues?: readonly string[] | undefined;
}

/** An SQS server in this process, and a client of it. */
export interface EmbeddedSqs extends AsyncDisposable {
  readonly client: SQSClient;
  /** The server's URL, on the loopback interface: for clients of your own. */
  readonly endpoint: string;
  /**
   * The URL of a queue that was made here.
   *
   * @throws `InvalidArgumentError` if there is none of this name.
   */
  queueUrl(name: string): string;
  /** Makes a queue, with SQS's own attributes, such as `VisibilityTimeout`; resolves with its URL. */
  createQueue(name: string, attributes?: Readonly<Record<string, string>>): Promise<string>;
  /** Closes client and server, and forgets every message. Can be called again. */
  stop(): Promise<void>;
}

/**
 * Starts an SQS server in this process (fauxqs, which you install), on a free port that only this
 * machine reaches, and a client of it. Stop it when the tests are done, or declare it with
 * `await using`.
 *
 * @throws (rejects) an Error that says what to install, if fauxqs is missing.
 */
export async function startSqs({ queues = [] }: StartSqsOptions = {}): Promise<EmbeddedSqs> {
  requireList(queues);
  const fauxqs = await importFauxqs();
  const app = fauxqs.buildApp({ logger: false });
  const endpoint = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = new SQSClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    // queue URLs name hosts below .localhost, which not every resolver knows
    useQueueUrlAsEndpoint: false,
  });
  const sqs = embedded(client, endpoint, () => app.close());
  try {
    for (const name of queues) await sqs.createQueue(name);
  } catch (error) {
    await sqs.stop();
    throw error;
  }
  return sqs;
}

function embedded(
  client: SQSClient,
  endpoint: string,
  close: () => PromiseLike<unknown>,
): EmbeddedSqs {
  const urls = new Map<string, string>();
  let stopped: Promise<unknown> | undefined;
  const sqs: EmbeddedSqs = {
    client,
    endpoint,
    queueUrl: (name) => {
      const url = urls.get(name);
      if (url !== undefined) return url;
      const known = [...urls.keys()].join(", ") || "none";
      throw new InvalidArgumentError("name", `there is no queue ${name} here, but ${known}`);
    },
    createQueue: async (name, attributes = {}) => {
      const kind = name.endsWith(".fifo") ? { FifoQueue: "true" } : undefined;
      const command = new CreateQueueCommand({
        QueueName: name,
        Attributes: { ...kind, ...attributes },
      });
      const { QueueUrl = "" } = await client.send(command);
      urls.set(name, QueueUrl);
      return QueueUrl;
    },
    stop: async () => {
      client.destroy();
      stopped ??= Promise.resolve(close());
      await stopped;
    },
    [Symbol.asyncDispose]: () => sqs.stop(),
  };
  return sqs;
}

/** The little of fauxqs that is used. */
interface Fauxqs {
  buildApp(options: { logger: boolean }): {
    listen(options: { port: number; host: string }): Promise<string>;
    close(): PromiseLike<unknown>;
  };
}

function requireList(queues: unknown): void {
  if (Array.isArray(queues)) return;
  throw new InvalidArgumentError("queues", "expected a list of names");
}

async function importFauxqs(): Promise<Fauxqs> {
  try {
    return await import("fauxqs");
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    const advice =
      code === "ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG"
        ? "Jest can load it with NODE_OPTIONS=--experimental-vm-modules"
        : "install it with: npm install --save-dev fauxqs";
    throw new Error(`startSqs needs the package fauxqs; ${advice}`, { cause });
  }
}
