import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process of the soak. It ends when this one does. */
export class Child {
  /** The end of what it wrote to stderr. */
  errors = "";
  readonly exited: Promise<Exit>;
  /** The first message it sends; undefined if it ends before. */
  readonly first: Promise<unknown>;
  readonly #process: ChildProcess;

  /** @param file beside this one, as it is built */
  constructor(file: string, ...args: string[]) {
    const path = fileURLToPath(new URL(file, import.meta.url));
    this.#process = fork(path, args, {
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors = (this.errors + text).slice(-4000);
    });
    this.exited = new Promise((resolve) => {
      this.#process.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.first = new Promise((resolve) => {
      this.#process.once("message", resolve);
      this.#process.once("exit", () => resolve(undefined));
    });
  }

  send(message: { isOpen: boolean }): void {
    // it may have ended meanwhile
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Resolves with whether it ended in time; it has ended in any case. */
  async endsWithin(ms: number): Promise<boolean> {
    let isInTime = true;
    const timer = setTimeout(() => {
      isInTime = false;
      this.kill("SIGKILL");
    }, ms);
    await this.exited;
    clearTimeout(timer);
    return isInTime;
  }
}
