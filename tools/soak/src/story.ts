import type { Run } from "./evidence.js";
import type { Message } from "./history.js";

/** What happened to a message, a line an event, in ms since SQS took it or first handed it out. */
export function storyOf(
  { group, sequence, deliveries, settles }: Message,
  runs: readonly Run[],
): string[] {
  const events: [number, string][] = [];
  for (const { count, client, at, timeoutMs } of deliveries) {
    events.push([at, `delivery ${count} to ${client} for ${timeoutMs} ms`]);
  }
  for (const { delivery, client, seconds, sentAt, at, confirmedAt } of settles) {
    const what = seconds === undefined ? "delete of" : `${seconds} s more for`;
    const name = `${what} delivery ${delivery.count} by ${client}`;
    events.push([sentAt, `${name} sent`]);
    if (at !== undefined) events.push([at, `${name} applied`]);
    if (confirmedAt !== undefined) events.push([confirmedAt, `${name} confirmed`]);
  }
  for (const { client, count, startedAt, endedAt, isSuccess, abortedAt } of runs) {
    const name = `handler of delivery ${count} in ${client}`;
    events.push([startedAt, `${name} starts`]);
    if (abortedAt !== undefined) events.push([abortedAt, `${name} is aborted`]);
    if (endedAt !== undefined)
      events.push([endedAt, `${name} ${isSuccess ? "succeeds" : "throws"}`]);
  }
  events.sort(([a], [b]) => a - b);
  const [first] = events[0] ?? [0];
  const title = group === undefined ? [] : [`${group}, number ${sequence}`];
  return [
    ...title,
    ...events.map(([at, text]) => `${(at - first).toFixed(1).padStart(9)}  ${text}`),
  ];
}
