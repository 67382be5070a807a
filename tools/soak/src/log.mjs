import { existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { now } from "./clock.mjs";

/**
 * The diary of a child process: a line an event, written at once, so that a SIGKILL loses none.
 */
export class Log {
  #file;

  /** @param {string} path */
  constructor(path) {
    this.#file = openSync(path, "a");
  }

  /**
   * @param {string} kind
   * @param {...(string | number)} fields without blanks
   */
  write(kind, ...fields) {
    writeSync(this.#file, `${kind} ${now().toFixed(3)} ${fields.join(" ")}\n`);
  }
}

/**
 * @typedef {object} Line
 * @property {string} kind
 * @property {number} at
 * @property {string[]} fields
 *
 * @param {string} path
 * @returns {Generator<Line, void>}
 */
export function* readLog(path) {
  // it crashed before it wrote anything
  if (!existsSync(path)) return;
  const text = readFileSync(path, "utf8");
  // what follows the last line end was cut short
  for (const line of text.slice(0, text.lastIndexOf("\n") + 1).split("\n")) {
    if (line === "") continue;
    const [kind = "", at, ...fields] = line.split(" ");
    yield { kind, at: Number(at), fields };
  }
}
