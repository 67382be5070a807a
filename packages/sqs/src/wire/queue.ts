import { InvalidArgumentError } from "@babelqueue/core";

/** Amazon SQS in OpenTelemetry's list of messaging systems. */
export const SYSTEM = "aws.sqs";

/** A queue as its URL tells it. */
export interface Queue {
  readonly url: string;
  /** The last segment of the URL; the envelope's `meta.queue` (docs/wire-contract.md §2). */
  readonly name: string;
  /** A `.fifo` URL is FIFO, and no other is. */
  readonly fifo: boolean;
}

/** White space, quotes, a placeholder that nobody filled in, or an ARN. */
const NO_URL = /[\s"'`]|\$\{|^arn:/;
const EXAMPLE = "https://sqs.eu-central-1.amazonaws.com/123456789012/orders";

/**
 * Reads a queue URL; white space around it is dropped.
 *
 * @throws {@link InvalidArgumentError} where it names no queue.
 */
export function queueOf(given: string, argument = "queueUrl"): Queue {
  const url = typeof given === "string" ? given.trim() : "";
  const name = url.replace(/\/+$/, "").split("/").pop() ?? "";
  if (name === "" || NO_URL.test(url)) {
    const got = url === "" ? "" : `, got ${JSON.stringify(url)}`;
    throw new InvalidArgumentError(
      argument,
      `expected the URL of a queue, such as ${EXAMPLE}${got}`,
    );
  }
  return { url, name, fifo: name.endsWith(".fifo") };
}

/** The older form of AWS's host names. */
const LEGACY_HOST = /^([\w-]+)\.queue\.amazonaws\.com/;

/**
 * @throws {@link InvalidArgumentError} where the dead-letter queue is the queue itself, which would
 * get its dead letters again for ever.
 */
export function requireOther(deadLetterQueue: Queue, queue: Queue): void {
  if (!isSameQueue(deadLetterQueue, queue)) return;
  const problem = "it is the queue itself, which would get its dead letters again for ever";
  throw new InvalidArgumentError("deadLetterQueueUrl", problem);
}

/** Do both URLs name one queue, however they are spelt: scheme, letter case of the host, slashes? */
function isSameQueue(one: Queue, other: Queue): boolean {
  return placeOf(one) === placeOf(other);
}

function placeOf({ url }: Queue): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return host.replace(LEGACY_HOST, "sqs.$1.amazonaws.com") + pathname.replace(/\/+$/, "");
}
