import type {
  CreateQueueRequest,
  CreateQueueResult,
  GetQueueAttributesRequest,
  GetQueueAttributesResult,
  GetQueueUrlRequest,
  GetQueueUrlResult,
  PurgeQueueRequest,
} from "@aws-sdk/client-sqs";
import type { Context } from "./context.js";
import { unknownAttribute } from "./errors.js";
import { isDelayed, isInFlight } from "./message.js";
import type { Nothing } from "./operations.js";
import { requiredString } from "./parameters.js";
import type { Queue } from "./queue.js";
import { describeSettings } from "./queue-attributes.js";

export function createQueue(context: Context, input: CreateQueueRequest): CreateQueueResult {
  const name = requiredString("QueueName", input.QueueName);
  return { QueueUrl: context.queues.create(name, input.Attributes ?? {}).url };
}

export function getQueueUrl(context: Context, input: GetQueueUrlRequest): GetQueueUrlResult {
  return { QueueUrl: context.queues.byName(requiredString("QueueName", input.QueueName)).url };
}

/** The attributes asked for; none unless named, `All` for all (API reference, GetQueueAttributes). */
export function getQueueAttributes(
  context: Context,
  input: GetQueueAttributesRequest,
): GetQueueAttributesResult {
  const queue = context.queues.byUrl(input.QueueUrl);
  const all = describe(queue, context.clock.now());
  const names: readonly string[] = input.AttributeNames ?? [];
  if (names.length === 0) return {};
  if (names.includes("All")) return { Attributes: all };
  const asked = names.map((name): [string, string] => {
    const value = all[name];
    if (value === undefined) throw unknownAttribute(name);
    return [name, value];
  });
  return { Attributes: Object.fromEntries(asked) };
}

/** Empties the queue; what is in flight goes too. (AWS allows it once a minute; the fake always.) */
export function purgeQueue(context: Context, input: PurgeQueueRequest): Nothing {
  const queue = context.queues.byUrl(input.QueueUrl);
  for (const message of queue.messages) queue.remove(message);
  return {};
}

function describe(queue: Queue, now: number): Record<string, string> {
  const messages = [...queue.messages];
  const inFlight = messages.filter((message) => isInFlight(message, now)).length;
  const delayed = messages.filter((message) => isDelayed(message, now)).length;
  const created = String(Math.floor(queue.createdAt / 1000));
  return {
    QueueArn: queue.arn,
    CreatedTimestamp: created,
    LastModifiedTimestamp: created,
    ApproximateNumberOfMessages: String(messages.length - inFlight - delayed),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    ...describeSettings(queue.settings),
  };
}
