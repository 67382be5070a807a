import type { Evidence } from "../evidence.js";
import type { Violation } from "../verdict.js";

/** No consumer released a delivery that it was handling or had handled, or that it handled later. */
export function* releasedInHand({ messages, runs: allRuns }: Evidence): Generator<Violation> {
  for (const { id, settles } of messages.values()) {
    const runs = allRuns.get(id) ?? [];
    for (const { delivery, client, seconds, sentAt, isCopy } of settles) {
      const { count, timeoutMs } = delivery;
      if (seconds === undefined || seconds * 1000 >= timeoutMs || isCopy) continue;
      const run = runs.find((one) => one.client === client && one.count === count);
      if (run === undefined) continue;
      const { startedAt, endedAt = Number.POSITIVE_INFINITY, isSuccess } = run;
      if (startedAt <= sentAt && endedAt <= sentAt && !isSuccess) continue;
      const text = `${client} released delivery ${count} at ${sentAt}, and handled it from ${startedAt} to ${endedAt}`;
      yield { rule: "releasedInHand", id, text };
    }
  }
}
