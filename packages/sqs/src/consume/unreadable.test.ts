import type { Message } from "@aws-sdk/client-sqs";
import { createEnvelope, encodeEnvelope } from "@babelqueue/core";
import { expect, test } from "vitest";
import { type SqsClient, SqsConsumer } from "../index.js";

const url = "https://sqs.eu-central-1.amazonaws.com/123456789012/orders";
const URN = "urn:babel:orders:created";

/** A client of one batch, that notes what it is asked besides. */
function clientOf(Messages: Message[]): { client: SqsClient; requests: string[] } {
  const requests: string[] = [];
  const send = async ({ constructor: { name } }: object): Promise<object> => {
    if (name === "ReceiveMessageCommand") return { Messages: Messages.splice(0) };
    requests.push(name);
    return {};
  };
  return { client: { send } as SqsClient, requests };
}

const good = (id: string): Message => ({
  MessageId: id,
  ReceiptHandle: id,
  Body: encodeEnvelope(createEnvelope(URN, { id })),
});

test.each([
  ["whose body cannot be read", "Body", {}, 0],
  ["whose attributes cannot be read", "MessageAttributes", {}, 0],
  ["whose attributes cannot be read again, for a copy", "MessageAttributes", { Body: "no" }, 1],
])(
  "a message %s is left and reported, and the others are handled",
  async (_, key, other, reads) => {
    const failure = new Error("not to be read");
    let left = reads;
    const odd = Object.defineProperty({ ...good("odd"), ...other }, key, {
      get() {
        if (left-- > 0) return undefined;
        throw failure;
      },
    });
    const { client, requests } = clientOf([good("1"), odd, good("2")]);
    const handled: unknown[] = [];
    const reported: unknown[] = [];
    const consumer = new SqsConsumer(
      client,
      url,
      { [URN]: ({ data }) => void handled.push(data["id"]) },
      { deadLetterQueueUrl: `${url}-dlq`, onError: (error) => void reported.push(error) },
    );
    await consumer.poll();
    expect(handled).toEqual(["1", "2"]);
    expect(reported).toContain(failure);
    expect(requests).not.toContain("SendMessageCommand");
    expect(consumer.stats()).toMatchObject({ received: 3, handled: 2, left: 1, inFlight: 0 });
  },
);
