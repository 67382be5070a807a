import type { Message } from "@aws-sdk/client-sqs";
import { BabelQueueError, type Handler, InvalidArgumentError } from "@babelqueue/core";
import { SqsConsumer, type SqsConsumerOptions, SqsReceiveError } from "@babelqueue/sqs";
import { FakeSqs } from "fake-sqs";
import { pass } from "./clock.js";
import { Faults } from "./faults.js";
import { type Kind, Ledger, URN } from "./ledger.js";
import { LONG_MS, type Setting, SHUTDOWN_MS, VISIBILITY_SECONDS } from "./setting.js";
import { Witness } from "./witness.js";

/** How often everything gets the time to become visible, before what is left counts as stuck. */
const ROUNDS = 20;

/** A handler that runs. */
interface Call {
  readonly consumer: number;
  readonly group: string;
  readonly succeed: () => void;
  readonly fail: () => void;
  /** Its consumer stopped without it. */
  isAbandoned: boolean;
}

class HandlerFailure extends Error {}

/** Consumers of one queue, and handlers that end when they are told to. */
export class World {
  readonly faults: Faults;
  readonly violations: string[] = [];
  readonly #ledger: Ledger;
  readonly #isFifo: boolean;
  readonly #options: SqsConsumerOptions;
  readonly #witnesses: readonly Witness[];
  readonly #consumers: readonly SqsConsumer[];
  /** Calls of run, poll and stop that have not ended. */
  readonly #open = new Map<symbol, string>();
  readonly #calls = new Set<Call>();
  readonly #handled = new Set<string>();
  /** At the end every handler succeeds at once. */
  #isEnding = false;

  constructor(setting: Setting, consumers: number) {
    const { isFifo, fifoGroups, lapsedVisibilityChange, hasDeadLetters, options } = setting;
    const sqs = new FakeSqs({ fifoGroups, lapsedVisibilityChange });
    const ledger = new Ledger(sqs, setting, VISIBILITY_SECONDS);
    this.#isFifo = isFifo;
    this.#options = options;
    this.#ledger = ledger;
    // publishing is not what is tried here
    this.faults = new Faults(
      sqs,
      ({ operation, input }) =>
        !operation.startsWith("Send") || !("QueueUrl" in input) || input.QueueUrl !== ledger.url,
    );
    const numbers = Array.from({ length: consumers }, (_, index) => index);
    this.#witnesses = numbers.map(
      () => new Witness(sqs, ledger.url, (id) => ledger.isDone(ledger.byId(id))),
    );
    this.#consumers = this.#witnesses.map(
      (witness, index) =>
        new SqsConsumer(
          witness.client(),
          ledger.url,
          { [URN]: this.#handler(index) },
          {
            ...options,
            ...(hasDeadLetters && { deadLetterQueueUrl: ledger.deadLetterUrl }),
            onError: (error) => this.#told(error),
            onWarning: () => undefined,
          },
        ),
    );
  }

  publish(kind: Kind, group: string): Promise<void> {
    return this.#ledger.publish(kind, group);
  }

  run(consumer: number): void {
    this.#watch(`run of ${consumer}`, this.#at(consumer).run(), InvalidArgumentError);
  }

  poll(consumer: number): void {
    this.#watch(`poll of ${consumer}`, this.#at(consumer).poll(), SqsReceiveError);
  }

  stop(consumer: number): void {
    const leave = async (): Promise<void> => {
      await this.#at(consumer).stop();
      const { inFlight } = this.#at(consumer).stats();
      if (inFlight > 0) this.violations.push(`${consumer} stopped with ${inFlight} in hand`);
      for (const call of this.#calls) if (call.consumer === consumer) call.isAbandoned = true;
    };
    this.#watch(`stop of ${consumer}`, leave());
  }

  /** Ends one of the handlers that run, if there is any. */
  end(index: number, how: "succeed" | "fail"): void {
    const calls = [...this.#calls];
    calls[index % calls.length]?.[how]();
  }

  /** All that must hold at any time. */
  check(): void {
    for (const { n } of this.#ledger.lost()) this.violations.push(`${n} is lost`);
    const all = [...this.violations, ...this.#witnesses.flatMap(({ violations }) => violations)];
    if (all.length > 0) throw new Error(all.join("\n"));
  }

  /** Nothing goes wrong any more, so everything ends: each message handled, each call settled. */
  async finish(): Promise<void> {
    this.faults.clear();
    this.#isEnding = true;
    for (const call of this.#calls) call.succeed();
    await pass(LONG_MS + SHUTDOWN_MS);
    for (const index of this.#consumers.keys()) this.run(index);
    for (let round = 0; round < ROUNDS && this.#ledger.unhandled().length > 0; round += 1) {
      await pass(LONG_MS);
    }
    for (const { n } of this.#ledger.unhandled()) this.violations.push(`${n} is never handled`);
    for (const index of this.#consumers.keys()) this.stop(index);
    await pass(LONG_MS + SHUTDOWN_MS);
    for (const name of this.#open.values()) this.violations.push(`the ${name} never ended`);
    this.check();
  }

  #at(index: number): SqsConsumer {
    const consumer = this.#consumers[index];
    if (consumer === undefined) throw new RangeError(`There is no consumer ${index}`);
    return consumer;
  }

  #handler(consumer: number): Handler<{ readonly n: number }, Message> {
    return (_, { MessageId: id = "", ReceiptHandle: handle = "" }) => {
      this.#started(consumer, id, handle);
      const message = this.#ledger.byId(id);
      if (this.#isEnding) {
        message.isHandled = true;
        return undefined;
      }
      return new Promise<void>((resolve, reject) => {
        const end = (then: () => void): void => {
          this.#calls.delete(call);
          then();
        };
        const call: Call = {
          consumer,
          group: message.group,
          isAbandoned: false,
          succeed: () =>
            end(() => {
              message.isHandled = true;
              resolve();
            }),
          fail: () => end(() => reject(new HandlerFailure(`${message.n} failed`))),
        };
        this.#calls.add(call);
      });
    };
  }

  #started(consumer: number, id: string, handle: string): void {
    const message = this.#ledger.byId(id);
    const { n, kind, group } = message;
    const violation = (text: string): void => {
      this.violations.push(`${n} was started by ${consumer} ${text}`);
    };
    if (kind !== "good") violation(`although it is ${kind}`);
    if (this.#handled.has(handle)) violation("twice for one delivery");
    this.#handled.add(handle);
    if (this.#witnesses[consumer]?.knewDeleted(handle) === true) {
      violation("after its confirmed delete");
    }
    if (Date.now() >= this.#lapsesAt(consumer, handle)) violation("when it had lapsed");
    if (!this.#isFifo) return;
    for (const before of this.#ledger.undoneBefore(message)) violation(`before ${before.n}`);
    for (const call of this.#calls) {
      if (call.consumer !== consumer || call.group !== group || call.isAbandoned) continue;
      violation("beside another of its group");
    }
  }

  /** When a consumer knows that a delivery has lapsed, unless it renews them. */
  #lapsesAt(consumer: number, handle: string): number {
    const { heartbeat, visibilityTimeoutSeconds: seconds } = this.#options;
    const answeredAt = this.#witnesses[consumer]?.answeredAt(handle) ?? 0;
    return heartbeat === true || seconds === undefined
      ? Number.POSITIVE_INFINITY
      : answeredAt + seconds * 1000;
  }

  #told(error: unknown): void {
    if (error instanceof BabelQueueError || error instanceof HandlerFailure) return;
    this.violations.push(`onError was told of ${String(error)}`);
  }

  #watch(
    name: string,
    promise: Promise<unknown>,
    Allowed?: typeof InvalidArgumentError | typeof SqsReceiveError,
  ): void {
    const key = Symbol(name);
    this.#open.set(key, name);
    promise.then(
      () => this.#open.delete(key),
      (error: unknown) => {
        this.#open.delete(key);
        if (Allowed !== undefined && error instanceof Allowed) return;
        this.violations.push(`the ${name} rejected with ${String(error)}`);
      },
    );
  }
}
