import { UnknownUrnStrategy } from "../../consume/strategy.js";
import type { SuiteCase } from "../case.js";
import { expectEqual } from "../expectation.js";
import type { SuiteConsumerOptions } from "../harness.js";
import { pollUntil, type Stage } from "../stage.js";
import { expectBlock, openLetter, rawEnvelope } from "./raw.js";

/** JSON objects, which keep every byte beside the block that they gain. */
const POISON_OBJECTS: readonly string[] = [
  rawEnvelope({ urn: " " }),
  rawEnvelope({}).replace('"schema_version":1', '"schema_version":2'),
  `\n${rawEnvelope({}).replace('"attempts":0', '"attempts" : 1.5 ')} `,
];
/** Anything else, which goes as text into an object with the block. */
const POISON_TEXTS: readonly string[] = [
  "not json",
  "[]",
  '{"job":"urn:babel:orders:created","data":{"order_id":1042',
  '{"data":{},"dead_letter":{"reason":"failed"}}',
];
const POISON: readonly string[] = [...POISON_OBJECTS, ...POISON_TEXTS];
/** A valid envelope, so that only the gate can refuse it. */
const GATED = rawEnvelope({});
const VERSION_2 = { "bq-schema-version": "2" };

/** Poison and gated messages: settled at once, never handled (docs/wire-contract.md §3 and §4). */
export const refusalCases: readonly SuiteCase[] = [
  ...[undefined, "fail", "release", "dead_letter"].map((strategy): SuiteCase => {
    const unknownUrnStrategy = strategy as UnknownUrnStrategy | undefined;
    return {
      name: `poison, strategy ${strategy ?? "not set"}: to the dead-letter queue with a block, every other byte as it came, then removed`,
      run: async (stage) => {
        const { harness } = stage;
        for (const body of POISON) await harness.sendRaw(body, {});
        await pollUntilEmpty(stage, { unknownUrnStrategy });
        await expectPoison(stage, POISON);
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
  {
    name: "poison, strategy delete, no dead-letter queue: removed",
    run: async (stage) => {
      for (const body of POISON) await stage.harness.sendRaw(body, {});
      const unknownUrnStrategy = UnknownUrnStrategy.DELETE;
      await pollUntilEmpty(stage, { unknownUrnStrategy, deadLetters: false });
      expectEqual(await stage.harness.readDeadLetters(), [], "dead letters");
      await expectRefused(stage, "invalid_envelope", POISON.length);
    },
  },
  {
    name: "poison, strategy not set, no dead-letter queue: reported and left",
    run: async (stage) => {
      const { harness } = stage;
      await harness.sendRaw("not json", {});
      const consumer = stage.consumer({ deadLetters: false });
      await pollUntil(consumer, () => stage.reports.length === 1, "it is reported");
      expectEqual(await harness.pending(), 1, "left in the queue");
      await expectRefused(stage, "invalid_envelope", 1);
    },
  },
  {
    name: "attempts that are missing, null, negative or too large are read, not refused",
    run: async (stage) => {
      const { harness, handled } = stage;
      const odd = ['"more":1', '"attempts":null', '"attempts":-1', '"attempts":9007199254740992'];
      for (const member of odd) {
        await harness.sendRaw(rawEnvelope({}).replace('"attempts":0', member), {});
      }
      const pointers: unknown[] = [];
      const consumer = stage.consumer({ onWarning: ({ pointer }) => void pointers.push(pointer) });
      await pollUntil(consumer, () => handled.length === odd.length, "they are handled");
      expectEqual(
        handled.map(({ attempts }) => String(attempts)).sort(),
        ["0", "0", "0", String(Number.MAX_SAFE_INTEGER)],
        "attempts",
      );
      expectEqual(
        pointers,
        odd.map(() => "/attempts"),
        "what warnings point at",
      );
      expectEqual(stage.codes, [], "reported");
    },
  },
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
      for (const body of ["not json", "{}"]) await harness.sendRaw(body, { tenant: "acme" });
      await pollUntilEmpty(stage, {});
      const letters = await harness.readDeadLetters();
      expectEqual(letters.length, 2, "dead letters");
      for (const { headers } of letters) {
        const { "bq-dead-letter-reason": reason, "bq-original-queue": queue, tenant } = headers;
        expectEqual([reason, queue], ["poison", harness.queue], "reason and original queue");
        expectEqual(tenant, "acme", "a header that it came with");
      }
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
      expectEqual(letters[0]?.headers["bq-dead-letter-reason"], "gated", "the reason");
      expectEqual(letters[0]?.headers["bq-original-queue"], harness.queue, "original queue");
      await expectRefused(stage, "unsupported_schema_version", 1);
    },
  },
  ...[true, false].map(
    (deadLetters): SuiteCase => ({
      name: `gated, strategy delete, ${deadLetters ? "a" : "no"} dead-letter queue: removed`,
      needs: ["headers"],
      run: async (stage) => {
        await stage.harness.sendRaw(GATED, VERSION_2);
        const unknownUrnStrategy = UnknownUrnStrategy.DELETE;
        await pollUntilEmpty(stage, { unknownUrnStrategy, deadLetters });
        expectEqual(await stage.harness.readDeadLetters(), [], "dead letters");
        await expectRefused(stage, "unsupported_schema_version", 1);
      },
    }),
  ),
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

/** Each is in the dead-letter queue, on its first delivery, whole and with a block that says why. */
async function expectPoison({ harness }: Stage, bodies: readonly string[]): Promise<void> {
  const letters = (await harness.readDeadLetters()).map(({ body }) => openLetter(body));
  for (const letter of letters) {
    expectBlock(letter, { reason: "poison", queue: harness.queue, attempts: 0 });
  }
  const expected = bodies.map((body) =>
    POISON_OBJECTS.includes(body) ? body : `{"raw":${JSON.stringify(body)}}`,
  );
  expectEqual(letters.map(({ rest }) => rest).sort(), expected.sort(), "dead letters");
}

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
