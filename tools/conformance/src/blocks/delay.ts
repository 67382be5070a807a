import { BabelQueueError, UrnRouter } from "@babelqueue/core";
import { SqsConsumer, SqsPublisher } from "@babelqueue/sqs";
import { FakeSqs } from "fake-sqs";
import { describe, expect, test } from "vitest";
import { block } from "../block.js";
import { ScriptedSqs } from "../scripted-sqs.js";
import { runnable } from "../sections.js";
import { sentMessage } from "../sent-message.js";

interface Delay {
  readonly cases: readonly {
    readonly name: string;
    readonly queue_type: "standard" | "fifo";
    readonly delay_seconds: number;
    readonly expect: "reject" | { readonly delay_seconds_attribute: number };
  }[];
  readonly release_visibility: {
    readonly cases: readonly {
      readonly name: string;
      readonly delay_seconds: number;
      readonly expect: { readonly visibility_timeout: number };
    }[];
  };
}

const URN = "urn:babel:orders:created";
const BODY =
  `{"job":"${URN}","trace_id":"t","data":{},"meta":{"id":"m","queue":"orders","lang":"go",` +
  '"schema_version":1,"created_at":1},"attempts":0}';

const key = "delay";

export const delay = block<Delay>({
  key,
  subject: "of a publish, and of a release",
  define: ({ cases, release_visibility: release }) => {
    test.each(cases)("$name", async (given) => {
      const fake = new FakeSqs();
      const url = fake.createQueue(given.queue_type === "fifo" ? "orders.fifo" : "orders");
      const publishing = new SqsPublisher(fake.client(), url).publish(
        URN,
        { order_id: 1042 },
        { delaySeconds: given.delay_seconds },
      );
      if (given.expect === "reject") {
        await expect(publishing).rejects.toThrow(BabelQueueError);
        expect(fake.requests).toEqual([]);
      } else {
        await publishing;
        expect(sentMessage(fake).DelaySeconds).toBe(given.expect.delay_seconds_attribute);
      }
    });

    describe("release_visibility", () => {
      test.concurrent.each(runnable(key, release.cases))("$name", async (given) => {
        const sqs = new ScriptedSqs({ Body: BODY });
        const routes = new UrnRouter().on(URN, () => Promise.reject(new Error("It fails")));
        const consumer = new SqsConsumer(sqs.client(), sqs.queueUrl, routes, {
          waitTimeSeconds: 0,
          releaseDelaySeconds: given.delay_seconds,
          onError: () => undefined,
        });
        expect(await consumer.poll()).toBe(1);
        expect(sqs.settled).toEqual([`release ${given.expect.visibility_timeout}`]);
      });
    });
  },
});
