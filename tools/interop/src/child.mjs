// A program that runs beside this one and ends with it.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Nothing of the machine's own AWS settings, and no proxy between here and here. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("AWS_"))),
  AWS_ACCESS_KEY_ID: "interop",
  AWS_SECRET_ACCESS_KEY: "interop",
  AWS_REGION: "us-east-1",
  AWS_DEFAULT_REGION: "us-east-1",
  AWS_EC2_METADATA_DISABLED: "true",
  // a request that fails is seen to fail
  AWS_MAX_ATTEMPTS: "1",
  AWS_CONFIG_FILE: "/dev/null",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  NO_PROXY: "127.0.0.1,localhost",
  no_proxy: "127.0.0.1,localhost",
  PYTHONUNBUFFERED: "1",
  PYTHONDONTWRITEBYTECODE: "1",
};

export class Child {
  #process;
  /** @type {Promise<Error>} */
  #ended;
  /** What it wrote last, for the message of an error. */
  #tail = "";
  /** @type {Set<(line: string) => void>} */
  #listeners = new Set();

  /**
   * @param {string} program
   * @param {readonly string[]} args
   */
  constructor(program, args) {
    this.#process = spawn(program, args, { env: environment, stdio: "pipe" });
    this.#ended = new Promise((resolve) => {
      this.#process.once("error", resolve);
      this.#process.once("close", (code, signal) => {
        resolve(new Error(`${program} has ended (${signal ?? code}): ${this.#tail}`));
      });
    });
    // a write to a program that has ended; the one who waits for its answer is told so
    this.#process.stdin.on("error", () => undefined);
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        this.#tail = `${this.#tail}${line}\n`.slice(-2000);
        for (const listener of this.#listeners) listener(line);
      });
    }
    process.once("exit", this.#kill);
  }

  #kill = () => {
    this.#process.kill("SIGKILL");
  };

  /** @param {string} line */
  write(line) {
    this.#process.stdin.write(`${line}\n`);
  }

  /**
   * What `read` makes of the first line from now on that it makes something of.
   *
   * @template T
   * @param {(line: string) => T | undefined} read
   * @param {number} withinMs
   * @returns {Promise<T>}
   */
  async line(read, withinMs) {
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
      };
      const timer = setTimeout(() => {
        settle();
        reject(new Error(`no answer within ${withinMs / 1000} s: ${this.#tail}`));
        // nor is one to be waited for again
        this.#kill();
      }, withinMs);
      const listener = (/** @type {string} */ line) => {
        const value = read(line);
        if (value === undefined) return;
        settle();
        resolve(value);
      };
      this.#listeners.add(listener);
      void this.#ended.then((error) => {
        settle();
        reject(error);
      });
    });
  }

  /** Ends it, gently at first. */
  async stop() {
    this.#process.stdin.end();
    this.#process.kill("SIGTERM");
    const timer = setTimeout(this.#kill, 3000);
    await this.#ended;
    clearTimeout(timer);
    process.removeListener("exit", this.#kill);
  }
}
