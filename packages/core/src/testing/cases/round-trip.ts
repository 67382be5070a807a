import { UrnRouter } from "../../messages/router.js";
import type { SuiteCase } from "../case.js";
import { expectEqual, expectTrue } from "../expectation.js";
import { pollUntil, URN } from "../stage.js";

const TRACE_ID = "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b";

/** What tends to break on the way: unicode, 64-bit integers, floats, empty and long values. */
const DATA = {
  text: 'Grüße, 日本, a/b, "quoted", \\, \u2028, \u0000, tab\t',
  id: 9_223_372_036_854_775_807n,
  negative: -9_223_372_036_854_775_808n,
  price: 99.9,
  nothing: null,
  lines: [{ sku: "A-1", count: 2 }, [], {}],
  long: "0123456789".repeat(2000),
};

/** Written by an SDK of another language, with the alias `urn` and keys that this SDK doesn't know. */
const FOREIGN =
  `{"urn":" ${URN} ","trace_id":"${TRACE_ID}","data":{"customer":9223372036854775807},` +
  '"meta":{"id":"m-1","queue":"elsewhere","lang":"php","schema_version":1.0,' +
  '"created_at":1749132727000,"region":"eu"},"attempts":0,"priority":7}';

/** A message arrives as it was sent, at the handler of its URN. */
export const roundTripCases: readonly SuiteCase[] = [
  {
    name: "routes each message to the handler of its URN",
    run: async (stage) => {
      const { harness } = stage;
      const seen: unknown[] = [];
      const routes = new UrnRouter()
        .on("urn:babel:suite:a", ({ job, data }) => seen.push([job, data["n"]]))
        .on("urn:babel:suite:b", ({ job, data }) => seen.push([job, data["n"]]));
      await harness.publish("urn:babel:suite:a", { n: 1 });
      await harness.publish("urn:babel:suite:b", { n: 2 });
      await pollUntil(stage.open(routes), () => seen.length === 2, "both are handled");
      const sorted = seen.map((each) => JSON.stringify(each)).sort();
      expectEqual(sorted, ['["urn:babel:suite:a",1]', '["urn:babel:suite:b",2]'], "handled");
    },
  },
  {
    name: "the envelope arrives equal, with unicode and 64-bit integers",
    run: async (stage) => {
      const { harness, handled } = stage;
      const id = await harness.publish(URN, DATA, { traceId: TRACE_ID });
      await pollUntil(stage.consumer(), () => handled.length === 1, "it is handled");
      const [envelope] = handled;
      expectEqual(envelope?.data, DATA, "data");
      expectEqual(envelope?.job, URN, "job");
      expectEqual(envelope?.trace_id, TRACE_ID, "trace_id");
      expectEqual(envelope?.meta.id, id, "meta.id");
      expectEqual(envelope?.meta.queue, harness.queue, "meta.queue");
      expectEqual(envelope?.attempts, 0, "attempts");
    },
  },
  {
    name: "characters beyond U+FFFF arrive",
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.publish(URN, { text: "🐇 𝄞" });
      await pollUntil(stage.consumer(), () => handled.length === 1, "it is handled");
      expectEqual(handled[0]?.data, { text: "🐇 𝄞" }, "data");
    },
  },
  {
    name: "a message of another language's SDK is read, alias, unknown keys and all",
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.sendRaw(FOREIGN, {});
      await pollUntil(stage.consumer(), () => handled.length === 1, "it is handled");
      const { urn: _, ...rest } = JSON.parse(FOREIGN) as Record<string, unknown>;
      const expected = { ...rest, job: ` ${URN} `, data: { customer: 9_223_372_036_854_775_807n } };
      expectEqual(handled[0], expected, "the envelope");
    },
  },
  {
    name: "largeIntegers: number is honoured",
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.sendRaw(FOREIGN, {});
      const numbers = stage.consumer({ largeIntegers: "number" });
      await pollUntil(numbers, () => handled.length === 1, "it is handled");
      expectEqual(typeof handled[0]?.data["customer"], "number", "the type of a large integer");
    },
  },
  {
    name: "headers arrive, and are empty where none were sent",
    needs: ["headers"],
    run: async (stage) => {
      const { harness } = stage;
      const seen = new Map<unknown, unknown>();
      const routes = new UrnRouter().on(URN, ({ data }, _message, { headers }) => {
        seen.set(data["n"], headers);
      });
      const headers = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, tenant: "acme" };
      await harness.publish(URN, { n: 1 }, { headers });
      await harness.publish(URN, { n: 2 });
      await pollUntil(stage.open(routes), () => seen.size === 2, "both are handled");
      expectEqual(seen.get(1), headers, "the headers");
      expectEqual(seen.get(2), {}, "the headers of a message without any");
    },
  },
  {
    name: "a message put off is handled when its time has come, not before",
    needs: ["delay"],
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.publish(URN, { n: 1 }, { delaySeconds: 5 });
      const polled = stage.consumer();
      await polled.poll();
      expectEqual(handled.length, 0, "handled before its time");
      await harness.elapse?.(6);
      await pollUntil(polled, () => handled.length === 1, "it is handled");
    },
  },
  {
    name: "a handler that succeeds acknowledges its message",
    run: async (stage) => {
      const { harness, handled } = stage;
      await harness.publish(URN, { n: 1 });
      const polled = stage.consumer();
      await pollUntil(polled, () => handled.length === 1, "it is handled");
      await harness.returnLeft();
      await polled.poll();
      expectEqual(handled.length, 1, "handled");
      expectEqual(await harness.pending(), 0, "left in the queue");
      expectEqual(await harness.readDeadLetters(), [], "dead letters");
      expectEqual(stage.codes, [], "reported");
    },
  },
  {
    name: "the handler's signal is not aborted while it holds its message",
    run: async (stage) => {
      const { harness } = stage;
      const seen: boolean[] = [];
      const routes = new UrnRouter().on(URN, (_envelope, _message, { signal }) => {
        seen.push(signal.aborted);
      });
      await harness.publish(URN, {});
      await pollUntil(stage.open(routes), () => seen.length === 1, "it is handled");
      expectTrue(seen[0] === false, "the signal is not aborted");
    },
  },
];
