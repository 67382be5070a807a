import type { Envelope } from "../envelope/envelope.js";
import { BabelQueueError } from "../errors.js";
import { UrnRouter } from "../messages/router.js";
import { expectTrue } from "./expectation.js";
import type { SuiteConsumer, SuiteConsumerOptions, TransportHarness } from "./harness.js";

/** The URN that the stage's handler is registered for, and one without a handler. */
export const URN = "urn:babel:suite:known";
export const UNKNOWN_URN = "urn:babel:suite:unknown";

/** More polls than any case needs, on a broker that now and then gives less than it has. */
const MAX_POLLS = 200;

/** How one call of `onError` looked. */
export interface Report {
  /** See {@link codeOf}. */
  readonly code: string;
  readonly hasEnvelope: boolean;
}

/** A harness with a handler that writes down what it sees. */
export class Stage {
  readonly harness: TransportHarness;
  readonly handled: Envelope[] = [];
  readonly reports: Report[] = [];
  readonly #consumers: SuiteConsumer[] = [];

  constructor(harness: TransportHarness) {
    this.harness = harness;
  }

  /** A consumer of {@link URN}. `handle` may throw; what was handled is written down before. */
  consumer(
    options: Partial<SuiteConsumerOptions> = {},
    handle: (envelope: Envelope) => unknown = () => undefined,
  ): SuiteConsumer {
    const routes = new UrnRouter().on(URN, (envelope) => {
      this.handled.push(envelope);
      return handle(envelope);
    });
    return this.open(routes, options);
  }

  /** A consumer with routes of the case's own; the stage stops it in the end. */
  open(routes: UrnRouter, options: Partial<SuiteConsumerOptions> = {}): SuiteConsumer {
    const consumer = this.harness.consumer(routes, {
      deadLetters: true,
      onError: (error, envelope) => {
        this.reports.push({ code: codeOf(error), hasEnvelope: envelope !== null });
      },
      ...options,
    });
    this.#consumers.push(consumer);
    return consumer;
  }

  /** The codes of what was reported so far. */
  get codes(): string[] {
    return this.reports.map(({ code }) => code);
  }

  async stop(): Promise<void> {
    for (const consumer of this.#consumers) await consumer.stop();
  }
}

/** Polls until it comes true. */
export async function pollUntil(
  consumer: SuiteConsumer,
  isDone: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    if (await isDone()) return;
    await consumer.poll();
  }
  expectTrue(await isDone(), `${what}, after ${MAX_POLLS} polls`);
}

/** Waits until it comes true, two seconds at most. */
export async function waitUntil(isDone: () => boolean, what: string): Promise<void> {
  for (let waits = 0; waits < 400 && !isDone(); waits += 1) await pause(5);
  expectTrue(isDone(), what);
}

/** Some milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The code of an error, or its message where it is not one of ours. */
export function codeOf(error: unknown): string {
  if (error instanceof BabelQueueError) return error.code;
  return error instanceof Error ? error.message : typeof error;
}
