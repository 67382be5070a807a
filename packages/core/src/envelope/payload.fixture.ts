import { SECRET } from "./envelope.fixture.js";

export class Money {
  readonly amount: number;
  readonly currency = "EUR";
  constructor(amount: number) {
    this.amount = amount;
  }
  get formatted(): string {
    return `${this.amount} €`;
  }
}
/** Its class is named at run time, as by what it holds. */
export class Tagged {
  readonly secret: string;
  constructor(secret: string) {
    this.secret = secret;
  }
  get [Symbol.toStringTag](): string {
    return this.secret;
  }
}
export class Registry extends Map<string, string> {
  override get [Symbol.toStringTag](): string {
    return "Registry";
  }
}
export class TaggedBytes extends Uint8Array {
  override get [Symbol.toStringTag](): never {
    return SECRET as never;
  }
}
export function* generate(): Generator<number> {
  yield 1;
}
export class Described extends Error {
  toJSON(): object {
    return { said: this.message };
  }
}
/** As `import * as constants` gives it. */
export const constants = Object.freeze(
  Object.assign(Object.create(null), { [Symbol.toStringTag]: "Module", LIMIT: 7 }),
);
