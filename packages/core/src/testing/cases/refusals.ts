import { UnknownUrnStrategy } from "../../strategy.js";
import type { SuiteCase } from "../case.js";
import { expectEqual } from "../expectation.js";
import type { SuiteConsumerOptions } from "../harness.js";
import { pollUntil, type Stage } from "../stage.js";
import { rawEnvelope } from "./raw.js";

const POISON: readonly string[] = [
  "not json",
  "[]",
  '{"job":"urn:babel:orders:created","data":{"order_id":1042',
  rawEnvelope({ urn: " " }),
  rawEnvelope({}).replace('"schema_version":1', '"schema_version":2'),
  rawEnvelope({ attempts: -1 }),
];
/** A valid envelope, so that only the gate can refuse it. */
const GATED = rawEnvelope({});
const VERSION_2 = { "bq-schema-version": "2" };

/** Poison and gated messages: settled at once, never handled (CONTRACT.md §3 and §4). */
export const refusalCases: readonly SuiteCase[] = [
  ...[undefined, "fail", "release", "dead_letter"].map((strategy): SuiteCase => {
    const unknownUrnStrategy = strategy as UnknownUrnStrategy | undefined;
    return {
      name: `poison, strategy ${strategy ?? "not set"}: verbatim to the dead-letter queue, then removed`,
      run: async (stage) => {
        const { harness } = stage;
        for (const body of POISON) await harness.sendRaw(body, {});
        await pollUntilEmpty(stage, { unknownUrnStrategy });
        const letters = await harness.readDeadLetters();
        expectEqual(letters.map(({ body }) => body).sort(), [...POISON].sort(), "dead letters");
        await expectRefused(stage, "invalid_envelope", POISON.length);
      },
    };
  }),
  {
    name: "poison, strategy delete: removed",
    run: async (stage) => {
      for (const body of POISON) await stage.harness.sendRaw(body, {});
      await pollUntilEmpty(stage, { unknownUrnStrategy: UnknownUrnStrategy.DELETE });
      expectEqual(await stage.harness.readDeadLetters(), [], "dead letters");
      await expectRefused(stage, "invalid_envelope", POISON.length);
    },
  },
  ...[undefined, UnknownUrnStrategy.DELETE].map(
    (unknownUrnStrategy): SuiteCase => ({
      name: `poison, strategy ${unknownUrnStrategy ?? "not set"}, no dead-letter queue: reported and left`,
      run: async (stage) => {
        const { harness } = stage;
        await harness.sendRaw("not json", {});
        const consumer = stage.consumer({ unknownUrnStrategy, deadLetters: false });
        await pollUntil(consumer, () => stage.reports.length === 1, "it is reported");
        expectEqual(await harness.pending(), 1, "left in the queue");
        await expectRefused(stage, "invalid_envelope", 1);
      },
    }),
  ),
  {
    name: "an onUnknownUrn hook is told nothing of poison",
    run: async (stage) => {
      const { harness } = stage;
      await harness.sendRaw("not json", {});
      let told = 0;
      await pollUntilEmpty(stage, { onUnknownUrn: () => void (told += 1) });
      expectEqual(told, 0, "calls of onUnknownUrn");
      expectEqual((await harness.readDeadLetters()).length, 1, "dead letters");
    },
  },
  {
    name: "a dead letter of poison says beside its body why it is there",
    needs: ["headers"],
    run: async (stage) => {
      const { harness } = stage;
      await harness.sendRaw("not json", { tenant: "acme" });
      await pollUntilEmpty(stage, {});
      const [letter] = await harness.readDeadLetters();
      const { "bq-dead-letter-reason": reason, "bq-original-queue": queue } = letter?.headers ?? {};
      expectEqual([reason, queue], ["poison", harness.queue], "reason and original queue");
      expectEqual(letter?.headers["tenant"], "acme", "a header that it came with");
    },
  },
  {
    name: "gated: not decoded, not handled, verbatim to the dead-letter queue, then removed",
    needs: ["headers"],
    run: async (stage) => {
      const { harness } = stage;
      await harness.sendRaw(GATED, VERSION_2);
      await pollUntilEmpty(stage, {});
      const letters = await harness.readDeadLetters();
      expectEqual(
        letters.map(({ body }) => body),
        [GATED],
        "dead letters",
      );
      expectEqual(letters[0]?.headers["bq-dead-letter-reason"], "poison", "the reason");
      await expectRefused(stage, "unsupported_schema_version", 1);
    },
  },
  {
    name: "gated, no dead-letter queue: reported and left",
    needs: ["headers"],
    run: async (stage) => {
      const { harness } = stage;
      await harness.sendRaw(GATED, VERSION_2);
      const consumer = stage.consumer({ deadLetters: false });
      await pollUntil(consumer, () => stage.reports.length === 1, "it is reported");
      expectEqual(await harness.pending(), 1, "left in the queue");
      await expectRefused(stage, "unsupported_schema_version", 1);
    },
  },
  {
    name: "a message that declares version 1 passes the gate",
    needs: ["headers"],
    run: async (stage) => {
      await stage.harness.sendRaw(GATED, { "bq-schema-version": "1" });
      await pollUntil(stage.consumer(), () => stage.handled.length === 1, "it is handled");
      expectEqual(stage.codes, [], "reported");
    },
  },
];

/** No handler ran, and each refusal was reported once, without an envelope. */
async function expectRefused(stage: Stage, code: string, count: number): Promise<void> {
  expectEqual(stage.handled, [], "handled");
  const expected = Array.from({ length: count }, () => ({ code, hasEnvelope: false }));
  expectEqual(stage.reports, expected, "reported");
}

async function pollUntilEmpty(stage: Stage, options: Partial<SuiteConsumerOptions>): Promise<void> {
  const isEmpty = async (): Promise<boolean> => (await stage.harness.pending()) === 0;
  await pollUntil(stage.consumer(options), isEmpty, "the queue is empty");
}
