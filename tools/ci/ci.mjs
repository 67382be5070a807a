// Runs every check in turn, goes on after a failure, and closes with the sum of all tallies.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { otherMajors } from "./node-versions.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pnpm = ["npx", "-y", "pnpm@10.34.9"];

/** A step prints tallies of its own, or counts as one passed or failed. */
const steps = [
  { name: "install", command: [...pnpm, "install", "--frozen-lockfile"] },
  { name: "build", command: [...pnpm, "run", "build"] },
  { name: "lint", command: [...pnpm, "run", "lint"] },
  { name: "format", command: [...pnpm, "run", "check:format"] },
  { name: "types", command: [...pnpm, "run", "typecheck"] },
  { name: "unused code", command: [...pnpm, "run", "check:unused"] },
  { name: "publint", command: [...pnpm, "run", "check:publint"] },
  { name: "published types", command: [...pnpm, "run", "check:types"] },
  { name: "API reports", command: [...pnpm, "run", "check:api"] },
  { name: "API reference", command: [...pnpm, "run", "docs"] },
  { name: "sizes", command: [...pnpm, "run", "check:size"] },
  { name: "API kept", command: [...pnpm, "run", "check:semver"] },
  // as the README has it
  { name: "tests", command: ["npx", "-y", "pnpm@10", "test"] },
  // the tests ran under this Node just now
  {
    name: "other Node versions",
    command: [...pnpm, "run", "check:nodes", ...otherMajors.map(String)],
  },
  { name: "interop", command: ["npx", "-y", "pnpm@10", "interop"] },
  { name: "packed packages", command: [...pnpm, "run", "check:consumer"] },
];

/**
 * Runs a step, passing its output on; the tallies in it are named, so that only the sum stands bare.
 *
 * @param {{ name: string, command: string[] }} step
 */
async function run({ name, command: [program = "", ...args] }) {
  const tally = { lines: 0, passed: 0, failed: 0, skipped: 0 };
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, DO_NOT_TRACK: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  /** @param {import("node:stream").Readable} stream */
  const read = async (stream) => {
    for await (const line of createInterface({ input: stream })) {
      const match = /^(\d+) passed, (\d+) failed, (\d+) skipped$/.exec(
        stripVTControlCharacters(line).trim(),
      );
      if (match === null) {
        console.log(line);
        continue;
      }
      tally.lines += 1;
      tally.passed += Number(match[1]);
      tally.failed += Number(match[2]);
      tally.skipped += Number(match[3]);
      console.log(`${name}: ${match[0]}`);
    }
  };
  const [code] = await Promise.all([exit, read(child.stdout), read(child.stderr)]);
  if (tally.lines === 0 && code === 0) tally.passed = 1;
  // a coverage threshold, say, fails a run in which no test failed
  if (code !== 0 && tally.failed === 0) tally.failed = 1;
  return tally;
}

const sum = { passed: 0, failed: 0, skipped: 0 };
const failed = [];
for (const step of steps) {
  console.log(`\n== ${step.name}: ${step.command.join(" ")}`);
  const started = Date.now();
  const tally = await run(step).catch((error) => {
    console.log(error);
    return { passed: 0, failed: 1, skipped: 0 };
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`== ${step.name}: ${tally.failed === 0 ? "ok" : "FAILED"} (${seconds} s)`);
  if (tally.failed > 0) failed.push(step.name);
  sum.passed += tally.passed;
  sum.failed += tally.failed;
  sum.skipped += tally.skipped;
}
if (failed.length > 0) console.log(`\nFailed: ${failed.join(", ")}`);
console.log(`\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = sum.failed === 0 ? 0 : 1;
