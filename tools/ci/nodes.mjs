// Runs the unit tests under each supported Node, or under those that are named: `pnpm check:nodes 22`.
// Skips, with a line, those this machine can't run.
import { majors, nodeVersions } from "./node-versions.mjs";
import { root } from "./packages.mjs";
import { check, printTally, skip } from "./report.mjs";
import { run } from "./run.mjs";

// the tools, and what starts processes of its own, run once, in `pnpm test`
const projects = ["core", "sqs", "otel*", "conformance"].map((name) => `--project=${name}`);
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--reporter=dot", ...projects];
const env = { ...process.env, NO_COLOR: "1", NO_TYPE_TESTS: "1" };
const TEN_MINUTES = 600_000;

const named = process.argv.slice(2).map(Number);
for (const { major, version, program, why } of nodeVersions(named.length > 0 ? named : majors)) {
  if (program === undefined) skip(`Node ${major}`, why);
  else {
    check(`Node ${version}`, () => {
      const printed = run([program, ...vitest], root, env, TEN_MINUTES);
      return /Tests +(.*)/.exec(printed)?.[1];
    });
  }
}
printTally();
