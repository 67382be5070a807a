// Runs the unit tests under each supported Node, or under those that are named: `pnpm check:nodes 22`.
// Skips, with a line, those this machine can't run.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { majors, nodeVersions } from "./node-versions.mjs";
import { root } from "./packages.mjs";
import { check, printTally, skip } from "./report.mjs";

// the tools, and what starts processes of its own, run once, in `pnpm test`
const projects = ["core", "sqs", "otel*", "conformance"].map((name) => `--project=${name}`);
// two runs at a time must not share a file
const vitest = [
  "node_modules/vitest/vitest.mjs",
  "run",
  "--reporter=dot",
  "--no-cache",
  ...projects,
];
const options = {
  cwd: root,
  env: { ...process.env, NO_COLOR: "1", NO_TYPE_TESTS: "1" },
  timeout: 600_000,
  maxBuffer: 2 ** 26,
};

/** @typedef {{ stdout: string, stderr: string }} Output */

/** @param {ReturnType<typeof nodeVersions>[number]} node */
async function test({ major, version, program, why }) {
  if (program === undefined) {
    skip(`Node ${major}`, why);
    return;
  }
  /** @type {Output | Error & Output} */
  const ended = await promisify(execFile)(program, vitest, options).catch((error) => error);
  check(`Node ${version}`, () => {
    if (ended instanceof Error) throw new Error(`${ended.message}\n${ended.stdout}${ended.stderr}`);
    return /Tests +(.*)/.exec(ended.stdout)?.[1];
  });
}

const named = process.argv.slice(2).map(Number);
const versions = nodeVersions(named.length > 0 ? named : majors).values();
// a run waits a good deal for its only worker, so two of them share two processors well
const testOneByOne = async () => {
  for (const version of versions) await test(version);
};
await Promise.all([testOneByOne(), testOneByOne()]);
printTally();
