/** Lets callers wait while it is closed. */
export class Gate {
  #isOpen = true;
  #waiting: (() => void)[] = [];

  open(): void {
    this.#isOpen = true;
    for (const pass of this.#waiting.splice(0)) pass();
  }

  close(): void {
    this.#isOpen = false;
  }

  async passed(): Promise<void> {
    while (!this.#isOpen) {
      await new Promise((resolve) => {
        this.#waiting.push(() => resolve(undefined));
      });
    }
  }
}
