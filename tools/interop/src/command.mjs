// A command that runs to its end within a time: the package clients, the compilers.
import { execFile } from "node:child_process";
import { promisify, stripVTControlCharacters } from "node:util";
import { Unavailable } from "./unavailable.mjs";

const run = promisify(execFile);

/** How long a registry may take. */
const LIMIT_MS = 180_000;

/**
 * Gives what it wrote to stdout.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @throws {Unavailable} where the program is missing, fails or takes too long; with the line that says most.
 */
export async function command(program, args) {
  const running = run(program, args, {
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
    maxBuffer: 1 << 26,
  });
  const kill = () => running.child.kill("SIGKILL");
  process.once("exit", kill);
  try {
    const { stdout } = await running;
    return stdout;
  } catch (error) {
    throw new Unavailable(reasonOf(program, error));
  } finally {
    process.removeListener("exit", kill);
  }
}

/**
 * @param {string} program
 * @param {unknown} error what execFile rejects with
 */
function reasonOf(program, error) {
  const { code, killed, stdout, stderr } =
    /** @type {{ code?: unknown, killed?: boolean, stdout?: string, stderr?: string }} */ (error);
  if (code === "ENOENT") return `${program} is not installed`;
  if (killed === true) return `${program} gave no answer within ${LIMIT_MS / 1000} s`;
  const lines = stripVTControlCharacters(`${stderr}\n${stdout}`)
    .split("\n")
    .map((line) => line.trim());
  const says = /error|no matching|not found|could not|forbidden|refused|not available/i;
  const line = lines.find((text) => says.test(text)) ?? lines.find((text) => text !== "") ?? "";
  // which registry it was is the machine's own business
  return `${program} failed: ${line.replace(/https?:\/\/\S+/g, "…").slice(0, 400)}`;
}
