import { UrnRouter } from "../../messages/router.js";
import type { SuiteCase } from "../case.js";
import { expectEqual } from "../expectation.js";
import { pollUntil, URN } from "../stage.js";
import { rawEnvelope } from "./raw.js";

/** A handler that fails, a hook that fails: nothing is lost, and nothing else suffers. */
export const failureCases: readonly SuiteCase[] = [
  {
    name: "a throw has the message delivered again, with attempts 0, 1, 2",
    run: async (stage) => {
      const { harness, handled } = stage;
      const id = await harness.publish(URN, { n: 1 });
      const consumer = stage.consumer({}, ({ attempts }) => {
        if (attempts < 2) throw new Error("not yet");
      });
      await pollUntil(consumer, () => handled.length === 3, "it is handled three times");
      const seen = handled.map(({ attempts, meta }) => [attempts, meta.id]);
      expectEqual(
        seen,
        [0, 1, 2].map((attempts) => [attempts, id]),
        "attempts and meta.id",
      );
      expectEqual(stage.codes, ["not yet", "not yet"], "reported");
      expectEqual(await harness.pending(), 0, "left in the queue");
    },
  },
  {
    name: "attempts go on from what the body says",
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.sendRaw(rawEnvelope({ attempts: 5 }), {});
      await pollUntil(stage.consumer(), () => handled.length === 1, "it is handled");
      expectEqual(handled[0]?.attempts, 5, "attempts");
    },
  },
  {
    name: "what comes back is otherwise what came",
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.sendRaw(rawEnvelope({}), {});
      const consumer = stage.consumer({}, ({ attempts }) => {
        if (attempts === 0) throw new Error("not yet");
      });
      await pollUntil(consumer, () => handled.length === 2, "it is handled twice");
      const [first, second] = handled;
      expectEqual({ ...second, attempts: 0 }, first, "the envelope that came back");
    },
  },
  {
    name: "throwing undefined, and rejecting, are failures too",
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.publish(URN, { n: 1 });
      const nothing: Error | undefined = undefined;
      const consumer = stage.consumer({}, async ({ attempts }) => {
        await Promise.resolve();
        // a value that is no Error
        if (attempts === 0) throw nothing as unknown as Error;
      });
      await pollUntil(consumer, () => handled.length === 2, "it is handled twice");
      expectEqual(stage.codes, ["undefined"], "reported");
      expectEqual(await harness.pending(), 0, "left in the queue");
    },
  },
  {
    name: "releaseDelaySeconds is kept",
    needs: ["delay"],
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.publish(URN, { n: 1 });
      const consumer = stage.consumer({ releaseDelaySeconds: 20 }, ({ attempts }) => {
        if (attempts === 0) throw new Error("not yet");
      });
      await pollUntil(consumer, () => handled.length === 1, "it is handled");
      await harness.elapse?.(10);
      await consumer.poll();
      expectEqual(handled.length, 1, "handled before the delay is over");
      await harness.elapse?.(11);
      await pollUntil(consumer, () => handled.length === 2, "it is handled again");
    },
  },
  {
    name: "a message that fails does not stop the others",
    run: async (stage) => {
      const { harness } = stage;
      for (let n = 0; n < 12; n += 1) await harness.publish(URN, { n });
      await harness.sendRaw("not json", {});
      const done = new Set<unknown>();
      const consumer = stage.consumer({}, ({ data, attempts }) => {
        if (data["n"] === 3 && attempts < 3) throw new Error("not yet");
        done.add(data["n"]);
      });
      await pollUntil(consumer, () => done.size === 12, "all are handled");
      const isEmpty = async (): Promise<boolean> => (await harness.pending()) === 0;
      await pollUntil(consumer, isEmpty, "the queue is empty");
    },
  },
  {
    name: "hooks that throw change nothing",
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.sendRaw("not json", {});
      await harness.publish(URN, { n: 1 });
      const consumer = stage.consumer(
        {
          onError: () => {
            throw new Error("the hook fails");
          },
          onWarning: () => {
            throw new Error("the hook fails");
          },
          releaseDelaySeconds: () => {
            throw new Error("the hook fails");
          },
        },
        ({ attempts }) => {
          if (attempts === 0) throw new Error("not yet");
        },
      );
      await pollUntil(consumer, () => handled.length === 2, "it is handled twice");
      const letters = async (): Promise<boolean> => (await harness.readDeadLetters()).length === 1;
      await pollUntil(consumer, letters, "the poison body is in the dead-letter queue");
      expectEqual(await harness.pending(), 0, "left in the queue");
    },
  },
  {
    name: "messages are handled with the envelope's own data, whatever a handler does to it",
    run: async (stage) => {
      const { harness } = stage;
      await harness.publish(URN, { lines: [1, 2] });
      const seen: unknown[] = [];
      const routes = new UrnRouter().on<{ lines: number[] }>(URN, ({ data, attempts }) => {
        seen.push([...data.lines]);
        data.lines.push(3);
        if (attempts === 0) throw new Error("not yet");
      });
      await pollUntil(stage.open(routes), () => seen.length === 2, "it is handled twice");
      expectEqual(
        seen,
        [
          [1, 2],
          [1, 2],
        ],
        "data",
      );
    },
  },
];
