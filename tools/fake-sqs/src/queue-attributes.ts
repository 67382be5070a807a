import { invalidAttributeValue, unknownAttribute } from "./errors.js";
import { MAX_BYTES } from "./message-size.js";

export interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
  /** A message received that often is moved by the receive after (1 to 1000). */
  readonly maxReceiveCount: number;
}

/** Queue attributes as a caller writes them: AWS's strings, or the values themselves. */
export interface QueueAttributes {
  /** Seconds, 0 to 43200, default 30. */
  readonly VisibilityTimeout?: number | string | undefined;
  /** Seconds, 0 to 900, default 0. */
  readonly DelaySeconds?: number | string | undefined;
  /** Bytes, 1024 to 1048576, default 1048576. */
  readonly MaximumMessageSize?: number | string | undefined;
  /** Seconds, 0 to 20, default 0: the long poll of a receive that does not say. */
  readonly ReceiveMessageWaitTimeSeconds?: number | string | undefined;
  readonly RedrivePolicy?: RedrivePolicy | string | undefined;
  /** Implied by a name that ends in `.fifo`; anything that contradicts the name is refused. */
  readonly FifoQueue?: boolean | string | undefined;
  readonly ContentBasedDeduplication?: boolean | string | undefined;
}

/** Queue attributes, checked, with their defaults. */
export interface QueueSettings {
  readonly visibilityTimeout: number;
  readonly delaySeconds: number;
  readonly maximumMessageSize: number;
  readonly waitTimeSeconds: number;
  readonly redrivePolicy: RedrivePolicy | undefined;
  readonly fifo: boolean;
  readonly contentBasedDeduplication: boolean;
}

const KNOWN: ReadonlySet<string> = new Set<keyof QueueAttributes>([
  "VisibilityTimeout",
  "DelaySeconds",
  "MaximumMessageSize",
  "ReceiveMessageWaitTimeSeconds",
  "RedrivePolicy",
  "FifoQueue",
  "ContentBasedDeduplication",
]);

/** Reads the attributes of a queue to be created; those the fake does not know are refused. */
export function queueSettings(name: string, attributes: QueueAttributes): QueueSettings {
  const unknown = Object.keys(attributes).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) throw unknownAttribute(unknown);
  const fifo = name.endsWith(".fifo");
  if (flag("FifoQueue", attributes.FifoQueue, fifo) !== fifo)
    throw invalidAttributeValue("FifoQueue");
  const { ContentBasedDeduplication, RedrivePolicy: redrive } = attributes;
  if (!fifo && ContentBasedDeduplication !== undefined)
    throw unknownAttribute("ContentBasedDeduplication");
  return {
    visibilityTimeout: whole("VisibilityTimeout", attributes, 0, 43_200, 30),
    delaySeconds: whole("DelaySeconds", attributes, 0, 900, 0),
    maximumMessageSize: whole("MaximumMessageSize", attributes, 1024, MAX_BYTES, MAX_BYTES),
    waitTimeSeconds: whole("ReceiveMessageWaitTimeSeconds", attributes, 0, 20, 0),
    redrivePolicy: redrive === undefined ? undefined : redrivePolicy(redrive),
    fifo,
    contentBasedDeduplication: flag("ContentBasedDeduplication", ContentBasedDeduplication, false),
  };
}

/** The settings as `GetQueueAttributes` reports them, in strings. */
export function describeSettings(settings: QueueSettings): Record<string, string> {
  return {
    VisibilityTimeout: String(settings.visibilityTimeout),
    DelaySeconds: String(settings.delaySeconds),
    MaximumMessageSize: String(settings.maximumMessageSize),
    ReceiveMessageWaitTimeSeconds: String(settings.waitTimeSeconds),
    ...(settings.redrivePolicy && { RedrivePolicy: JSON.stringify(settings.redrivePolicy) }),
    ...(settings.fifo && {
      FifoQueue: "true",
      ContentBasedDeduplication: String(settings.contentBasedDeduplication),
    }),
  };
}

type NumericAttribute =
  | "VisibilityTimeout"
  | "DelaySeconds"
  | "MaximumMessageSize"
  | "ReceiveMessageWaitTimeSeconds";

function whole(
  name: NumericAttribute,
  attributes: QueueAttributes,
  minimum: number,
  maximum: number,
  fallback: number,
): number {
  const value = attributes[name];
  if (value === undefined) return fallback;
  return wholeBetween(name, value, minimum, maximum);
}

function wholeBetween(name: string, value: unknown, minimum: number, maximum: number): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number)) throw invalidAttributeValue(name);
  if (number < minimum || number > maximum) throw invalidAttributeValue(name);
  return number;
}

function flag(name: string, value: boolean | string | undefined, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (value === true || value === "true") return true;
  if (value === false || value === "false") return false;
  throw invalidAttributeValue(name);
}

function redrivePolicy(value: RedrivePolicy | string): RedrivePolicy {
  const policy: unknown = typeof value === "string" ? parse(value) : value;
  if (typeof policy === "object" && policy !== null) {
    const { deadLetterTargetArn, maxReceiveCount }: Record<string, unknown> = { ...policy };
    if (typeof deadLetterTargetArn === "string") {
      const count = wholeBetween("RedrivePolicy", maxReceiveCount, 1, 1000);
      return { deadLetterTargetArn, maxReceiveCount: count };
    }
  }
  throw invalidAttributeValue("RedrivePolicy");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
