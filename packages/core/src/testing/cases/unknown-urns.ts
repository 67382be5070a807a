import { UnknownUrnStrategy } from "../../consume/strategy.js";
import { decodeEnvelope } from "../../envelope/codec.js";
import type { SuiteCase } from "../case.js";
import { expectEqual } from "../expectation.js";
import { pollUntil, type Stage, UNKNOWN_URN } from "../stage.js";
import { expectBlock, openLetter, rawUnknown } from "./raw.js";

/** A valid envelope that nobody handles (docs/wire-contract.md §4, "Unknown URN"). */
export const unknownUrnCases: readonly SuiteCase[] = [
  ...[undefined, UnknownUrnStrategy.FAIL].map(
    (unknownUrnStrategy): SuiteCase => ({
      name: `unknown URN, strategy ${unknownUrnStrategy ?? "not set"}: reported and left`,
      run: async (stage) => {
        const { harness } = stage;
        await harness.sendRaw(rawUnknown(), {});
        const consumer = stage.consumer({ unknownUrnStrategy });
        await pollUntil(consumer, () => stage.reports.length === 1, "it is reported");
        expectEqual(stage.reports, [{ code: "unknown_urn", hasEnvelope: true }], "reported");
        await expectLeft(stage);
      },
    }),
  ),
  {
    name: "unknown URN, strategy delete: removed without a word",
    run: async (stage) => {
      await stage.harness.sendRaw(rawUnknown(), {});
      await pollUntilEmpty(stage, { unknownUrnStrategy: UnknownUrnStrategy.DELETE });
      expectEqual(stage.codes, [], "reported");
      expectEqual(await stage.harness.readDeadLetters(), [], "dead letters");
    },
  },
  {
    name: "unknown URN, strategy release: it comes back for another consumer",
    run: async (stage) => {
      const { harness } = stage;
      await harness.publish(UNKNOWN_URN, { n: 1 });
      let told = 0;
      const consumer = stage.consumer({
        unknownUrnStrategy: UnknownUrnStrategy.RELEASE,
        onUnknownUrn: ({ attempts }) => {
          expectEqual(attempts, told, "attempts");
          told += 1;
        },
      });
      await pollUntil(consumer, () => told >= 2, "it comes back");
      expectEqual(stage.codes, [], "reported");
      expectEqual(await harness.pending(), 1, "left in the queue");
    },
  },
  {
    name: "unknown URN, strategy dead_letter: the received text with a dead_letter block, then removed",
    run: async (stage) => {
      const { harness } = stage;
      await harness.sendRaw(rawUnknown(3), {});
      await pollUntilEmpty(stage, { unknownUrnStrategy: UnknownUrnStrategy.DEAD_LETTER });
      const [letter, ...others] = await harness.readDeadLetters();
      expectEqual(others, [], "more dead letters");
      const body = letter?.body ?? "";
      const opened = openLetter(body);
      expectEqual(decodeEnvelope(body).dead_letter, opened.block, "the block as it is decoded");
      expectBlock(opened, { reason: "unknown_urn", queue: harness.queue, attempts: 3 });
      expectEqual(opened.rest, rawUnknown(3), "all else in the dead letter");
      expectEqual(stage.codes, [], "reported");
    },
  },
  {
    name: "unknown URN, strategy dead_letter: under the alias urn it came, under job it goes",
    run: async (stage) => {
      const { harness } = stage;
      await harness.sendRaw(rawUnknown().replace('"job":', '"urn" : '), {});
      await pollUntilEmpty(stage, { unknownUrnStrategy: UnknownUrnStrategy.DEAD_LETTER });
      const [letter] = await harness.readDeadLetters();
      const { rest } = openLetter(letter?.body ?? "");
      expectEqual(rest, rawUnknown().replace('"job":', '"job" : '), "the dead letter");
    },
  },
  {
    name: "unknown URN, strategy dead_letter: headers ride along, and say why and where from",
    needs: ["headers"],
    run: async (stage) => {
      const { harness } = stage;
      await harness.publish(UNKNOWN_URN, {}, { headers: { tenant: "acme" } });
      await pollUntilEmpty(stage, { unknownUrnStrategy: UnknownUrnStrategy.DEAD_LETTER });
      const [letter] = await harness.readDeadLetters();
      expectEqual(letter?.headers["tenant"], "acme", "a header of the dead letter");
      const { "bq-dead-letter-reason": reason, "bq-original-queue": queue } = letter?.headers ?? {};
      expectEqual([reason, queue], ["unknown_urn", harness.queue], "reason and original queue");
    },
  },
  {
    name: "unknown URN, strategy dead_letter without a dead-letter queue: removed",
    run: async (stage) => {
      await stage.harness.sendRaw(rawUnknown(), {});
      const unknownUrnStrategy = UnknownUrnStrategy.DEAD_LETTER;
      await pollUntilEmpty(stage, { unknownUrnStrategy, deadLetters: false });
      expectEqual(await stage.harness.readDeadLetters(), [], "dead letters");
    },
  },
  {
    name: "unknown URN, a hook and no strategy: the hook takes it, and it is removed",
    run: async (stage) => {
      const taken: string[] = [];
      await stage.harness.sendRaw(rawUnknown(), {});
      await pollUntilEmpty(stage, { onUnknownUrn: ({ job }) => void taken.push(job) });
      expectEqual(taken, [UNKNOWN_URN], "what the hook took");
      expectEqual(stage.codes, [], "reported");
    },
  },
  {
    name: "unknown URN, a hook that throws and no strategy: reported and left",
    run: async (stage) => {
      await stage.harness.sendRaw(rawUnknown(), {});
      const consumer = stage.consumer({
        onUnknownUrn: () => {
          throw new Error("the hook fails");
        },
      });
      await pollUntil(consumer, () => stage.reports.length === 1, "it is reported");
      expectEqual(stage.codes, ["the hook fails"], "reported");
      await expectLeft(stage);
    },
  },
];

/** It is still there, and comes back. */
async function expectLeft(stage: Stage): Promise<void> {
  const { harness } = stage;
  expectEqual(await harness.pending(), 1, "left in the queue");
  expectEqual(await harness.readDeadLetters(), [], "dead letters");
  await stage.stop();
  await harness.returnLeft();
  const jobs: string[] = [];
  await pollUntilEmpty(stage, { onUnknownUrn: ({ job }) => void jobs.push(job) });
  expectEqual(jobs, [UNKNOWN_URN], "what came back");
}

async function pollUntilEmpty(
  stage: Stage,
  options: Parameters<Stage["consumer"]>[0],
): Promise<void> {
  const isEmpty = async (): Promise<boolean> => (await stage.harness.pending()) === 0;
  await pollUntil(stage.consumer(options), isEmpty, "the queue is empty");
}
