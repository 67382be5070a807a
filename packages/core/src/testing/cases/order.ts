import { UnknownUrnStrategy } from "../../consume/strategy.js";
import type { SuiteCase } from "../case.js";
import { expectEqual } from "../expectation.js";
import { pollUntil, UNKNOWN_URN, URN } from "../stage.js";
import { expectBlock, openLetter } from "./raw.js";

/** The order within a group (docs/wire-contract.md §2). */
export const orderCases: readonly SuiteCase[] = [
  {
    name: "FIFO: each group is handled in its order, one after another",
    needs: ["fifo"],
    run: async (stage) => {
      const { harness } = stage;
      const a: unknown[] = [];
      const b: unknown[] = [];
      let running = 0;
      for (let n = 0; n < 8; n += 1) {
        const group = n % 2 === 0 ? "a" : "b";
        await harness.publish(URN, { n, group }, { messageGroupId: group });
      }
      const consumer = stage.consumer({}, async ({ data }) => {
        running += 1;
        expectEqual(running <= 2, true, "no more handlers than groups");
        await Promise.resolve();
        (data["group"] === "a" ? a : b).push(data["n"]);
        running -= 1;
      });
      await pollUntil(consumer, () => stage.handled.length === 8, "all are handled");
      expectEqual({ a, b }, { a: [0, 2, 4, 6], b: [1, 3, 5, 7] }, "the order");
      expectEqual(stage.codes, [], "reported");
    },
  },
  {
    name: "FIFO: none overtakes a message of its group that failed; other groups go on",
    needs: ["fifo"],
    run: async (stage) => {
      const { harness } = stage;
      const seen: unknown[] = [];
      for (const n of [1, 2, 3]) await harness.publish(URN, { n }, { messageGroupId: "a" });
      await harness.publish(URN, { n: 10 }, { messageGroupId: "b" });
      let failures = 0;
      const consumer = stage.consumer({}, ({ data }) => {
        seen.push(data["n"]);
        if (data["n"] !== 2 || failures === 2) return;
        failures += 1;
        throw new Error("not yet");
      });
      await pollUntil(consumer, () => seen.length === 6, "all are handled");
      expectEqual(
        seen.filter((n) => n !== 10),
        [1, 2, 2, 2, 3],
        "the order of group a",
      );
      expectEqual(
        seen.filter((n) => n === 10),
        [10],
        "the order of group b",
      );
      expectEqual(await harness.pending(), 0, "left in the queue");
    },
  },
  {
    name: "FIFO: a dead-lettered message lets its group go on",
    needs: ["fifo"],
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.sendRaw("not json", {});
      await harness.publish(URN, { n: 1 });
      await pollUntil(stage.consumer(), () => handled.length === 1, "the next is handled");
      const letters = (await harness.readDeadLetters()).map(({ body }) => openLetter(body));
      expectEqual(
        letters.map(({ rest }) => rest),
        ['{"raw":"not json"}'],
        "letters",
      );
      for (const letter of letters) {
        expectBlock(letter, { reason: "poison", queue: harness.queue, attempts: 0 });
      }
    },
  },
  {
    name: "FIFO: a dead letter says beside its body which group it came from",
    needs: ["fifo", "headers"],
    run: async (stage) => {
      const { harness } = stage;
      await harness.publish(UNKNOWN_URN, {}, { messageGroupId: "a-group" });
      const consumer = stage.consumer({ unknownUrnStrategy: UnknownUrnStrategy.DEAD_LETTER });
      const isEmpty = async (): Promise<boolean> => (await harness.pending()) === 0;
      await pollUntil(consumer, isEmpty, "the queue is empty");
      const [letter] = await harness.readDeadLetters();
      expectEqual(letter?.headers["bq-original-group"], "a-group", "the original group");
    },
  },
];
