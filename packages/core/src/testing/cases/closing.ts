import type { SuiteCase } from "../case.js";
import { expectEqual, expectTrue } from "../expectation.js";
import { pause, pollUntil, URN, waitUntil } from "../stage.js";

const COUNT = 25;

/** A consumer that stops loses nothing. */
export const closingCases: readonly SuiteCase[] = [
  {
    name: "nothing is lost when a consumer stops while it works",
    run: async (stage) => {
      const { harness, handled } = stage;
      for (let n = 0; n < COUNT; n += 1) await harness.publish(URN, { n });
      const done = new Set<unknown>();
      const handle = async ({
        data,
      }: {
        readonly data: Record<string, unknown>;
      }): Promise<void> => {
        await pause(10);
        done.add(data["n"]);
      };
      const first = stage.consumer({}, handle);
      const polling = first.poll();
      await waitUntil(() => handled.length > 0, "it is handled");
      await first.stop();
      expectEqual(handled.length, done.size, "handlers that ended before stop did");
      await polling;
      expectTrue(done.size > 0, "the first consumer handled something");

      await harness.returnLeft();
      const second = stage.consumer({}, handle);
      await pollUntil(second, () => done.size === COUNT, "the second consumer handles the rest");
      expectEqual(await harness.pending(), 0, "left in the queue");
      expectEqual(stage.codes, [], "reported");
    },
  },
  {
    name: "a message whose handler fails while its consumer stops is not lost",
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.publish(URN, { n: 1 });
      const first = stage.consumer({}, async () => {
        await pause(10);
        throw new Error("not yet");
      });
      const polling = first.poll();
      await waitUntil(() => handled.length > 0, "it is handled");
      await first.stop();
      await polling;
      await harness.returnLeft();
      await pollUntil(stage.consumer(), () => handled.length === 2, "it is handled again");
      expectEqual(handled[1]?.attempts, 1, "attempts");
    },
  },
];
