import type { Options, Progress, Result } from "./soak.js";
import { storyOf } from "./story.js";

/** So many of the violations of each rule are shown. */
const SHOWN = 5;
/** And of so many the whole story. */
const TOLD = 2;

export function progressLine({ seconds, deleted, backlog, requests, kills }: Progress): string {
  const time = seconds.toFixed(0).padStart(4);
  return `${time} s  ${deleted} deleted, ${backlog} waiting, ${requests} requests, ${kills} kills`;
}

export function summary(
  { seed }: Options,
  { violations, evidence, seconds, requests, faults, directory }: Result,
): string {
  const { messages, publications, runs, instances, deadLetters, copies, reports } = evidence;
  const all = [...messages.values()];
  const published = publications.flat().filter(({ confirmedCall }) => confirmedCall !== undefined);
  const envelopes = new Set(all.map(({ envelope }) => envelope));
  const deliveries = sum(all.map((message) => message.deliveries.length));
  const allRuns = [...runs.values()];
  const successes = allRuns.map((one) => one.filter(({ isSuccess }) => isSuccess).length);
  const aborted = allRuns.flat().filter(({ abortedAt }) => abortedAt !== undefined).length;
  const ended = (end: string) => instances.filter((instance) => instance.end === end).length;
  const lines = [
    `seed        ${seed}`,
    `duration    ${seconds.toFixed(1)} s`,
    `published   ${published.length} confirmed, ${all.length} taken by SQS, ${all.length - envelopes.size} of them twice`,
    `delivered   ${deliveries} times, ${deliveries - all.length} redeliveries`,
    `handled     ${successes.filter((count) => count > 0).length} messages, ${sum(successes.map((count) => Math.max(0, count - 1)))} again, ${allRuns.flat().length - sum(successes)} runs without success, ${aborted} told that their hold was lost`,
    `dead        ${deadLetters.messages.size} in the dead-letter queues, ${copies.size} of them copies`,
    `requests    ${requests}, ${sum(Object.values(faults))} with faults: ${counts(faults)}`,
    `consumers   ${instances.length} processes: ${ended("killed")} × SIGKILL, ${ended("stopped")} × SIGTERM`,
    `reported    ${counts(reports)}`,
  ];
  if (violations.length === 0) return [...lines, "verdict     PASS", ""].join("\n");
  const rules: Record<string, number> = {};
  for (const { rule, id, text } of violations) {
    rules[rule] = (rules[rule] ?? 0) + 1;
    if ((rules[rule] ?? 0) > SHOWN) continue;
    lines.push(`${rule}: ${id}: ${text}`);
    const message = messages.get(id);
    if (message === undefined || (rules[rule] ?? 0) > TOLD) continue;
    lines.push(...storyOf(message, runs.get(id) ?? []).map((line) => `    ${line}`));
  }
  return [...lines, `verdict     FAIL: ${counts(rules)}; logs in ${directory}`, ""].join("\n");
}

function counts(by: Readonly<Record<string, number>>): string {
  const text = Object.entries(by).map(([name, count]) => `${count} ${name}`);
  return text.length === 0 ? "nothing" : text.join(", ");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
