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

/**
 * Reads a queue URL.
 *
 * @throws {@link InvalidArgumentError} where it names no queue.
 */
export function queueOf(url: string, argument = "queueUrl"): Queue {
  const name =
    typeof url === "string" ? url.trim().replace(/\/+$/, "").split("/").pop() : undefined;
  if (name === undefined || name === "") {
    const example = "https://sqs.eu-central-1.amazonaws.com/123456789012/orders";
    throw new InvalidArgumentError(argument, `expected the URL of a queue, such as ${example}`);
  }
  return { url, name, fifo: name.endsWith(".fifo") };
}
