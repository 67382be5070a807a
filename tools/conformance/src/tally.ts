import type { RunnerTask } from "vitest";
import type { Block } from "./block.js";

/** How many tests passed, by section, of the suites that the runners defined, in their order. */
export function tally(runners: readonly Block[], suites: readonly RunnerTask[]): string {
  const passed = new Map<string, number>();
  for (const [index, { key }] of runners.entries()) {
    const suite = suites[index];
    passed.set(key, (passed.get(key) ?? 0) + (suite === undefined ? 0 : passedIn(suite)));
  }
  return [...passed].map(([key, count]) => `${key} ${count}`).join(", ");
}

function passedIn(task: RunnerTask): number {
  if (task.type === "test") return task.result?.state === "pass" ? 1 : 0;
  return task.tasks.reduce((sum, one) => sum + passedIn(one), 0);
}
