import { defineMessage, type MessageDefinition } from "../../messages/message.js";
import type { StandardSchema } from "../../messages/standard-schema.js";
import type { Send, SendMiddleware } from "../../send/outbound.js";
import type { SuiteCase } from "../case.js";
import { expectEqual } from "../expectation.js";
import type { SuitePublisher } from "../harness.js";
import { codeOf, pause, pollUntil, type Stage, URN } from "../stage.js";

/** What a publisher does around its broker, whatever its middleware does (`createSend`). */
export const sendingCases: readonly SuiteCase[] = [
  {
    name: "an inner middleware throws: the outer one sees failed results, publish rejects with it",
    needs: ["publisher"],
    run: async (stage) => {
      const seen: unknown[] = [];
      const watch: SendMiddleware = (next) => async (batch) => {
        const results = await next(batch);
        seen.push(results.map((result) => (result.ok ? "sent" : result.error.message)));
        return results;
      };
      const refuse = answering(() => {
        throw new Error("the middleware fails");
      });
      const publisher = publisherOf(stage, watch, refuse);
      expectEqual(await failureOf(publisher.publish(URN, {}, {})), "the middleware fails", "error");
      expectEqual(seen, [["the middleware fails"]], "what the outer one saw");
      expectEqual(await stage.harness.pending(), 0, "sent");
    },
  },
  {
    name: "a middleware that answers nothing fails what it was given",
    needs: ["publisher"],
    run: async (stage) => {
      const publisher = publisherOf(
        stage,
        answering(() => undefined as never),
      );
      expectEqual(await failureOf(publisher.publish(URN, {}, {})), "invalid_argument", "error");
      expectEqual(await stage.harness.pending(), 0, "sent");
    },
  },
  {
    name: "a middleware that answers too few results fails what it was given",
    needs: ["publisher"],
    run: async (stage) => {
      const publisher = publisherOf(
        stage,
        answering(() => [{ ok: true }]),
      );
      const batch = [0, 1].map((n) => ({ urn: URN, data: { n } }));
      const { results } = await publisher.publishBatch(batch);
      const codes = results.map((result) => (result.ok ? "sent" : codeOf(result.error)));
      expectEqual(codes, ["invalid_argument", "invalid_argument"], "results");
    },
  },
  {
    name: "a middleware that makes up a message fails it",
    needs: ["publisher"],
    run: async (stage) => {
      const publisher = publisherOf(stage, (next) => (batch) => {
        const madeUp = batch.map(({ envelope, headers, system, queue, traceIdGiven }) => ({
          envelope,
          headers,
          system,
          queue,
          traceIdGiven,
        }));
        return next(madeUp);
      });
      expectEqual(await failureOf(publisher.publish(URN, {}, {})), "invalid_argument", "error");
      expectEqual(await stage.harness.pending(), 0, "sent");
    },
  },
  {
    name: "what a middleware changes in a spread copy of a message arrives",
    needs: ["publisher"],
    run: async (stage) => {
      const { handled } = stage;
      const publisher = publisherOf(stage, (next) => (batch) => {
        const changed = batch.map((one) => ({
          ...one,
          envelope: { ...one.envelope, data: { changed: true } },
        }));
        return next(changed);
      });
      const id = await publisher.publish(URN, {}, {});
      await pollUntil(stage.consumer(), () => handled.length === 1, "it is handled");
      expectEqual([handled[0]?.meta.id, handled[0]?.data], [id, { changed: true }], "id and data");
    },
  },
  {
    name: "a batch has one result a message in order, also where one is refused",
    needs: ["publisher"],
    run: async (stage) => {
      const { handled } = stage;
      const sizes: number[] = [];
      const publisher = publisherOf(stage, (next) => (batch) => {
        sizes.push(batch.length);
        return next(batch);
      });
      const { results } = await publisher.publishBatch([
        { urn: URN, data: { n: 0 } },
        { urn: " ", data: { n: 1 } },
        { urn: URN, data: { n: 2 } },
      ]);
      await pollUntil(stage.consumer(), () => handled.length >= 2, "the others are handled");
      const ids = [0, 2].map((n) => handled.find(({ data }) => data["n"] === n)?.meta.id);
      const answers = results.map((result) => (result.ok ? result.id : codeOf(result.error)));
      expectEqual(answers, [ids[0], "invalid_envelope", ids[1]], "results");
      expectEqual(sizes, [2], "the calls of the middleware, by messages");
    },
  },
  {
    name: "a middleware is told whether the caller chose the trace id; a blank one is none",
    needs: ["publisher"],
    run: async (stage) => {
      const given: boolean[] = [];
      const publisher = publisherOf(stage, (next) => (batch) => {
        given.push(...batch.map(({ traceIdGiven }) => traceIdGiven));
        return next(batch);
      });
      await publisher.publish(URN, {}, { traceId: "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b" });
      await publisher.publish(URN, {}, { traceId: " " });
      await publisher.publish(URN, {}, {});
      expectEqual(given, [true, false, false], "traceIdGiven");
    },
  },
  {
    name: "a definition with an asynchronous schema: what fits is sent, what does not is refused",
    needs: ["publisher"],
    run: async (stage) => {
      const { harness, handled } = stage;
      const publisher = publisherOf(stage);
      const refused = publisher.publish(slowMessage(), { n: "one" }, {});
      expectEqual(await failureOf(refused), "invalid_payload", "error");
      expectEqual(await harness.pending(), 0, "sent");
      const id = await publisher.publish(slowMessage(), { n: 1 }, {});
      await pollUntil(stage.consumer(), () => handled.length === 1, "it is handled");
      expectEqual([handled[0]?.meta.id, handled[0]?.data], [id, { n: 1 }], "id and data");
    },
  },
  {
    name: "FIFO: messages go out in the order of the calls, also behind an asynchronous schema",
    needs: ["publisher", "fifo"],
    run: async (stage) => {
      const { handled } = stage;
      const publisher = publisherOf(stage);
      const fields = { messageGroupId: "a" };
      await Promise.all([
        publisher.publish(slowMessage(), { n: 0 }, fields),
        publisher.publish(URN, { n: 1 }, fields),
        publisher.publishBatch([
          { urn: slowMessage(), data: { n: 2 }, ...fields },
          { urn: URN, data: { n: 3 }, ...fields },
        ]),
        publisher.publish(URN, { n: 4 }, fields),
      ]);
      await pollUntil(stage.consumer(), () => handled.length === 5, "all are handled");
      const order = handled.map(({ data }) => data["n"]);
      expectEqual(order, [0, 1, 2, 3, 4], "the order");
    },
  },
];

function publisherOf({ harness }: Stage, ...middleware: readonly SendMiddleware[]): SuitePublisher {
  const publisher = harness.publisher?.(middleware);
  if (publisher !== undefined) return publisher;
  throw new Error("The capability `publisher` needs a harness that has `publisher`");
}

/** A middleware that sends nothing, and answers this. */
function answering(answer: () => Awaited<ReturnType<Send>>): SendMiddleware {
  return () => async () => answer();
}

/** What a promise rejects with, by its code. */
async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "none";
  } catch (thrown) {
    return codeOf(thrown);
  }
}

/** A kind of message whose schema takes its time, and wants a number `n`. */
function slowMessage(): MessageDefinition<StandardSchema<Record<string, unknown>>> {
  return defineMessage({
    urn: URN,
    schema: {
      "~standard": {
        version: 1,
        vendor: "suite",
        validate: async (value) => {
          await pause(5);
          const data = value as Record<string, unknown>;
          return typeof data["n"] === "number"
            ? { value: data }
            : { issues: [{ message: "n is no number", path: ["n"] }] };
        },
      },
    },
  });
}
