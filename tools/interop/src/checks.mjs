// The checks of one cell of the matrix: each passes, fails, or differs as it is known to.
import { AssertionError } from "node:assert";
import { known } from "./known.mjs";

/** @typedef {{ name: string, state: "passed" | "failed" | "known", why: string }} Check */

export class Checks {
  /** @type {Check[]} */
  done = [];

  /** @param {string} cell */
  constructor(cell) {
    this.cell = cell;
  }

  /**
   * Runs one; what it throws is why it failed. Gives whether it passed.
   *
   * @param {string} name
   * @param {() => unknown} check
   */
  async check(name, check) {
    const expected = known.find(
      ({ cell, checks }) => checks.includes(name) && cell.test(this.cell),
    );
    try {
      await check();
    } catch (error) {
      this.done.push(
        expected === undefined
          ? { name, state: "failed", why: shortOf(error) }
          : { name, state: "known", why: expected.why },
      );
      return false;
    }
    const why = expected === undefined ? "" : "differs no longer: take it out of src/known.mjs";
    this.done.push({ name, state: "passed", why });
    return true;
  }

  /** @param {Check["state"]} state */
  count(state) {
    return this.done.filter((check) => check.state === state).length;
  }
}

/** @param {unknown} error */
function shortOf(error) {
  if (error instanceof AssertionError) {
    const [expected, actual] = [show(error.expected), show(error.actual)];
    const at = firstDifference(expected, actual);
    const part = (/** @type {string} */ text) =>
      text.length <= 120 ? text : `…${text.slice(Math.max(0, at - 40), at + 40)}…`;
    return `${error.message.split("\n")[0]} (expected ${part(expected)}, is ${part(actual)})`;
  }
  return String(error).replace(/\s+/g, " ").slice(0, 400);
}

/** @param {unknown} value */
function show(value) {
  const text = JSON.stringify(value, (_, part) =>
    typeof part === "bigint" || part instanceof Error
      ? String(part)
      : /** @type {unknown} */ (part),
  );
  return text ?? "undefined";
}

/**
 * @param {string} one
 * @param {string} other
 */
function firstDifference(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
