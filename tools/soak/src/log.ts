import { existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { now } from "./clock.js";

/**
 * The diary of a child process: a line an event, written at once, so that a SIGKILL loses none.
 */
export class Log {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, "a");
  }

  /** @param fields without blanks */
  write(kind: string, ...fields: (string | number)[]): void {
    writeSync(this.#file, `${kind} ${now().toFixed(3)} ${fields.join(" ")}\n`);
  }
}

interface Line {
  kind: string;
  at: number;
  fields: string[];
}

export function* readLog(path: string): Generator<Line, void> {
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
