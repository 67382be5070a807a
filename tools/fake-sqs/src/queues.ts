import { invalidParameter, invalidValue, queueDoesNotExist, queueNameExists } from "./errors.js";
import { requiredString } from "./parameters.js";
import { Queue, type QueueEnvironment } from "./queue.js";
import { describeSettings, type QueueAttributes, queueSettings } from "./queue-attributes.js";

const NAME = /^[A-Za-z0-9_-]{1,80}$/;

/** All queues, found by URL, name or ARN. */
export class Queues {
  readonly #environment: QueueEnvironment;
  readonly #byUrl = new Map<string, Queue>();

  constructor(environment: QueueEnvironment) {
    this.#environment = environment;
  }

  /**
   * Creates a queue, or returns the one there is if its attributes are the same
   * (API reference, CreateQueue). A dead-letter target must exist and be of the same kind.
   */
  create(name: string, attributes: QueueAttributes): Queue {
    if (name.length > 80 || !NAME.test(name.replace(/\.fifo$/, ""))) {
      throw invalidParameter(
        "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
      );
    }
    const queue = new Queue(name, queueSettings(name, attributes), this.#environment);
    const existing = this.#byUrl.get(queue.url);
    if (existing !== undefined) return unchanged(existing, queue);
    this.#checkDeadLetterTarget(queue);
    this.#byUrl.set(queue.url, queue);
    return queue;
  }

  /** The queue with this URL, exactly as returned at its creation; `QueueDoesNotExist` otherwise. */
  byUrl(url: string | undefined): Queue {
    const queue = this.#byUrl.get(requiredString("QueueUrl", url));
    if (queue === undefined) throw queueDoesNotExist();
    return queue;
  }

  byName(name: string): Queue {
    const queue = this.#all().find((candidate) => candidate.name === name);
    if (queue === undefined) throw queueDoesNotExist();
    return queue;
  }

  byArn(arn: string): Queue | undefined {
    return this.#all().find((candidate) => candidate.arn === arn);
  }

  #all(): Queue[] {
    return [...this.#byUrl.values()];
  }

  #checkDeadLetterTarget({ settings }: Queue): void {
    const arn = settings.redrivePolicy?.deadLetterTargetArn;
    if (arn === undefined) return;
    const target = this.byArn(arn);
    if (target === undefined) {
      throw invalidValue("RedrivePolicy", arn, "Dead letter target does not exist.");
    }
    if (target.settings.fifo !== settings.fifo) {
      throw invalidValue(
        "RedrivePolicy",
        arn,
        "Dead-letter queue must be same type of queue as the source.",
      );
    }
  }
}

function unchanged(existing: Queue, asked: Queue): Queue {
  const before = describeSettings(existing.settings);
  const after = describeSettings(asked.settings);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const different = names.find((name) => before[name] !== after[name]);
  if (different !== undefined) throw queueNameExists(different);
  return existing;
}
