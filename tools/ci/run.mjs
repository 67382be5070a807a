import { spawnSync } from "node:child_process";

const MINUTE = 60_000;

/**
 * Runs a program to its end, and returns what it printed.
 *
 * @param {readonly string[]} command
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 */
export function run([program = "", ...args], cwd, env = process.env, timeout = 3 * MINUTE) {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    env,
    timeout,
    shell: process.platform === "win32",
  });
  const printed = `${program} ${args.join(" ")}\n${stdout}${stderr}`;
  if (error) throw new Error(`${error.message} (${timeout / 1000} s are allowed)\n${printed}`);
  if (status !== 0) throw new Error(printed);
  return stdout;
}

/**
 * Runs a program that must print just this, and end by itself soon.
 *
 * @param {readonly string[]} command
 * @param {string} cwd
 * @param {string} expected
 * @param {NodeJS.ProcessEnv} env
 */
export function runToPrint(command, cwd, expected, env = process.env) {
  const printed = run(command, cwd, env, MINUTE / 2).trim();
  if (printed !== expected) throw new Error(`it printed\n${printed}\nand not\n${expected}`);
}
