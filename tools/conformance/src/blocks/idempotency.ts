import {
  createConsume,
  decodeEnvelope,
  type Handler,
  idempotent,
  memoryStore,
  UrnRouter,
} from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import type { Folder } from "../folder.js";
import { deliveryOf } from "../settlement-rows.js";

interface Delivery {
  /** Any JSON value; missing: the message has no id. */
  readonly meta_id?: unknown;
  /** Own: of the message; default: that of the envelope. */
  readonly trace_id?: string;
  readonly forget_before?: boolean;
  readonly expect_effect: "run" | "skip";
  /** What the handler does where it runs. */
  readonly outcome?: "ok" | "throw";
}

interface Idempotency {
  readonly dedup_key: {
    readonly envelope_file: string;
    readonly key_field: string;
    readonly expected_key: string;
  };
  readonly sequences: {
    readonly cases: readonly {
      readonly name: string;
      readonly deliveries: readonly Delivery[];
      /** How often the handler runs. */
      readonly expected_effects: number;
    }[];
  };
}

function consumerOf(urn: string, handler: Handler): ReturnType<typeof createConsume> {
  const router = new UrnRouter().on(urn, handler);
  return createConsume(router, { deadLetters: false, onError: () => undefined });
}

/** The envelope of the block with the ids of one delivery. */
function bodyOf(folder: Folder, file: string, delivery: Delivery): string {
  const envelope = JSON.parse(folder.bodyOf({ file })) as { trace_id: string; meta: object };
  const { meta_id: id, trace_id: traceId = envelope.trace_id } = delivery;
  return JSON.stringify({ ...envelope, trace_id: traceId, meta: { ...envelope.meta, id } });
}

export const idempotency = block<Idempotency>({
  key: "idempotency",
  subject: "idempotent, with memoryStore",
  define: ({ dedup_key: key, sequences }, folder) => {
    const { envelope_file: file } = key;
    const { job } = decodeEnvelope(folder.bodyOf({ file }));

    test(`the key is ${key.key_field}`, async () => {
      const asked: string[] = [];
      const remember = (id: string): unknown => asked.push(`remember ${id}`);
      const seen = (id: string): boolean => asked.push(`seen ${id}`) === 0;
      const handler = idempotent(() => undefined, { seen, remember, forget: () => undefined });
      await consumerOf(job, handler)(deliveryOf(folder.bodyOf({ file }), {}));
      expect(asked).toEqual([`seen ${key.expected_key}`, `remember ${key.expected_key}`]);
    });

    test.each(sequences.cases)("$name", async ({ deliveries, expected_effects: expected }) => {
      const store = memoryStore();
      let effects = 0;
      let outcome: Delivery["outcome"];
      const handler = idempotent(() => {
        effects += 1;
        if (outcome === "throw") throw new Error("The handler of the vector throws");
      }, store);
      const consume = consumerOf(job, handler);
      for (const delivery of deliveries) {
        if (delivery.forget_before === true) await store.forget(String(delivery.meta_id));
        outcome = delivery.outcome;
        const before = effects;
        const { kind } = await consume(deliveryOf(bodyOf(folder, file, delivery), {}));
        expect(effects - before).toBe(delivery.expect_effect === "run" ? 1 : 0);
        expect(kind).toBe(outcome === "throw" ? "release" : "ack");
      }
      expect(effects).toBe(expected);
    });
  },
});
