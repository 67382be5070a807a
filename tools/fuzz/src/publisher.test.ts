import {
  createEnvelope,
  defineMessage,
  type StandardResult,
  type StandardSchema,
} from "@babelqueue/core";
import { type PublishResult, SqsPublisher, type SqsPublisherOptions } from "@babelqueue/sqs";
import { FakeSqs } from "fake-sqs";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { after, onFakeClock, pass } from "./clock.js";
import { anyFault, Faults } from "./faults.js";
import { property } from "./property.js";

const URN = "urn:babel:orders:created";

interface Data {
  readonly n: number;
  readonly filling: string;
}

/** A schema that takes so many ms to say yes, or no. */
function slowSchema(ms: number, isValid: boolean): StandardSchema<Data> {
  const validate = async (value: unknown): Promise<StandardResult<Data>> => {
    await after(ms);
    return isValid ? { value: value as Data } : { issues: [{ message: "refused" }] };
  };
  return { "~standard": { version: 1, vendor: "fuzz", validate } };
}

const anyMessage = fc.record({
  group: fc.constantFrom("a", "a", "b", "c"),
  bytes: fc.oneof(
    { weight: 9, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(300_000, 1_047_000, 1_100_000) },
  ),
  schema: fc.option(fc.record({ ms: fc.constantFrom(0, 20), isValid: fc.boolean() }), { freq: 8 }),
});
type Message = typeof anyMessage extends fc.Arbitrary<infer T> ? T : never;

const anyStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("publish" as const), message: anyMessage }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("batch" as const),
      messages: fc.array(anyMessage, { maxLength: 13, size: "max" }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.constantFrom(0, 1, 15, 300),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("fault" as const), fault: anyFault }) },
  { weight: 1, arbitrary: fc.constant({ kind: "flush" as const }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

const anyOptions: fc.Arbitrary<SqsPublisherOptions> = fc.record({
  batching: fc.constantFrom(true, true, false, { lingerMs: 0 }, { lingerMs: 30 }),
  maxInFlight: fc.constantFrom(1, 2, 10),
});

/** A publisher whose calls are numbered, and what became of each. */
class Calls {
  readonly results: (PublishResult | undefined)[] = [];
  readonly groups: string[] = [];
  readonly flushes: ("open" | "done")[] = [];
  readonly #publisher: SqsPublisher;
  readonly #isFifo: boolean;

  constructor(publisher: SqsPublisher, isFifo: boolean) {
    this.#publisher = publisher;
    this.#isFifo = isFifo;
  }

  publish({ group, bytes, schema }: Message): void {
    const n = this.#next(group);
    const data = { n, filling: "x".repeat(bytes) };
    const options = this.#isFifo ? { messageGroupId: group } : {};
    const published =
      schema === null
        ? this.#publisher.publishEnvelope(createEnvelope(URN, data), options)
        : this.#publisher.publish(
            defineMessage({ urn: URN, schema: slowSchema(schema.ms, schema.isValid) }),
            data,
            options,
          );
    published.then(
      (id) => this.#settle(n, { ok: true, id }),
      (error: unknown) => this.#settle(n, { ok: false, error: error as Error }),
    );
  }

  batch(messages: readonly Message[]): void {
    const numbered = messages.map(({ group, bytes }) => {
      const n = this.#next(group);
      const data = { n, filling: "x".repeat(bytes) };
      return { urn: URN, data, ...(this.#isFifo && { messageGroupId: group }) };
    });
    void this.#publisher.publishBatch(numbered).then(({ results }) => {
      for (const [at, { data }] of numbered.entries()) this.#settle(data.n, results[at]);
    });
  }

  flush(): void {
    const at = this.flushes.push("open") - 1;
    const before = this.results.length;
    void this.#publisher.flush().then(() => {
      this.flushes[at] = this.results.slice(0, before).includes(undefined) ? "open" : "done";
    });
  }

  #next(group: string): number {
    this.groups.push(group);
    return this.results.push(undefined) - 1;
  }

  #settle(n: number, result: PublishResult | undefined): void {
    if (this.results[n] !== undefined) throw new Error(`${n} settled twice`);
    this.results[n] = result;
  }
}

async function take(step: Step, calls: Calls, faults: Faults): Promise<void> {
  switch (step.kind) {
    case "publish":
      return calls.publish(step.message);
    case "batch":
      return calls.batch(step.messages);
    case "flush":
      return calls.flush();
    case "fault":
      return faults.add("send", step.fault);
    case "pass":
      return pass(step.ms);
  }
}

interface Accepted {
  readonly n: number;
  readonly id: string;
}

function acceptedOf(body: string): Accepted {
  const { data, meta } = JSON.parse(body) as { data: Data; meta: { id: string } };
  return { n: data.n, id: meta.id };
}

describe("the publisher", () => {
  property(
    "every publish settles, and a group is accepted in the order of the calls",
    [fc.boolean(), anyOptions, fc.array(anyStep, { minLength: 1, maxLength: 20, size: "max" })],
    (isFifo, options, steps) =>
      onFakeClock(async () => {
        const sqs = new FakeSqs();
        const url = sqs.createQueue(isFifo ? "orders.fifo" : "orders");
        const faults = new Faults(sqs);
        const calls = new Calls(new SqsPublisher(sqs.client(), url, options), isFifo);
        for (const step of steps) await take(step, calls, faults);
        await pass(60_000);

        expect(calls.results).not.toContain(undefined);
        expect(calls.flushes).not.toContain("open");
        const accepted = sqs.messages(url).map(({ body }) => acceptedOf(body));
        const ids = new Set(accepted.map(({ id }) => id));
        const lost = calls.results.filter((result) => result?.ok === true && !ids.has(result.id));
        expect(lost).toEqual([]);
        // a message is there twice only where an answer did not arrive
        const hasLostAnswers = steps.some(
          (step) => step.kind === "fault" && step.fault.kind === "lostAnswer",
        );
        if (isFifo || !hasLostAnswers) expect(accepted).toHaveLength(ids.size);
        // and unless one did not, a failure says that it is not there
        const failed = accepted.filter(({ n }) => calls.results[n]?.ok !== true);
        if (!hasLostAnswers) expect(failed).toEqual([]);
        if (!isFifo) return;
        for (const group of new Set(calls.groups)) {
          const order = accepted.map(({ n }) => n).filter((n) => calls.groups[n] === group);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }
      }),
  );
});
