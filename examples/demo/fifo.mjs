import { SqsConsumer, SqsPublisher } from "@babelqueue/sqs";
import { check, row, section } from "./print.mjs";
import { comesTrue, consumeDuring } from "./wait.mjs";

/** @typedef {import("@aws-sdk/client-sqs").SQSClient} SQSClient */
/** @typedef {{ account: string, step: number }} Booking */
/** @typedef {import("@babelqueue/core").Envelope<Booking>} BookingEnvelope */

const BOOKED = "urn:babel:accounts:booked";
const STEPS = [1, 2, 3, 4];

/**
 * @param {SQSClient} client
 * @param {string} queueUrl
 */
export async function showFifo(client, queueUrl) {
  section(
    "5  A FIFO queue",
    "Messages of one group are handled one after another, also when one of them fails.",
  );
  /** @type {Record<string, number[]>} */
  const booked = { anna: [], ben: [] };
  let hasFailed = false;
  const consumer = new SqsConsumer(
    client,
    queueUrl,
    {
      [BOOKED]: (/** @type {BookingEnvelope} */ { data: { account, step } }) => {
        if (account === "anna" && step === 2 && !hasFailed) {
          hasFailed = true;
          throw new Error("the ledger is locked");
        }
        row("handled", `account ${account}`, `step ${step}`);
        booked[account]?.push(step);
      },
    },
    {
      waitTimeSeconds: 1,
      pollGraceMs: 100,
      onError: (error, envelope) => {
        const booking = /** @type {Booking | undefined} */ (envelope?.data);
        const why = error instanceof Error ? error.message : String(error);
        row("failed", `account ${booking?.account}`, `step ${booking?.step}, "${why}": released`);
      },
    },
  );

  const publisher = new SqsPublisher(client, queueUrl);
  const bookings = STEPS.flatMap((step) => [
    { account: "anna", step },
    { account: "ben", step },
  ]);
  row("sent", BOOKED, `steps ${STEPS.join(", ")} for the groups anna and ben`);
  await Promise.all(
    bookings.map((booking) =>
      publisher.publish(BOOKED, booking, { messageGroupId: booking.account }),
    ),
  );

  const count = () => Object.values(booked).flat().length;
  await consumeDuring(consumer, () => comesTrue(() => count() >= bookings.length));
  const isKept = Object.values(booked).every((steps) => steps.join() === STEPS.join());
  check(isKept && hasFailed, "both groups were booked in the order 1, 2, 3, 4");
  return consumer.stats();
}
