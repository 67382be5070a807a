import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null }} Exit */

/** A process of the soak. It ends when this one does. */
export class Child {
  /** The end of what it wrote to stderr. */
  errors = "";
  /** @type {Promise<Exit>} */
  exited;
  /** The first message it sends; undefined if it ends before. */
  /** @type {Promise<unknown>} */
  first;
  #process;

  /**
   * @param {string} file beside this one
   * @param {...string} args
   */
  constructor(file, ...args) {
    const path = fileURLToPath(new URL(file, import.meta.url));
    this.#process = fork(path, args, {
      execArgv: [],
      env: { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
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

  /** @param {{ isOpen: boolean }} message */
  send(message) {
    // it may have ended meanwhile
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  /** @param {NodeJS.Signals} signal */
  kill(signal) {
    this.#process.kill(signal);
  }

  /**
   * Resolves with whether it ended in time; it has ended in any case.
   *
   * @param {number} ms
   */
  async endsWithin(ms) {
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
