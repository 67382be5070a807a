/** Lets callers wait while it is closed. */
export class Gate {
  #isOpen = true;
  /** @type {(() => void)[]} */
  #waiting = [];

  open() {
    this.#isOpen = true;
    for (const pass of this.#waiting.splice(0)) pass();
  }

  close() {
    this.#isOpen = false;
  }

  /** @returns {Promise<void>} */
  async passed() {
    while (!this.#isOpen) {
      await new Promise((resolve) => {
        this.#waiting.push(() => resolve(undefined));
      });
    }
  }
}
