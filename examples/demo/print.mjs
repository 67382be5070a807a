import { styleText } from "node:util";

const hasColour = process.stdout.isTTY && !process.env["NO_COLOR"];

/**
 * @param {Parameters<typeof styleText>[0]} style
 * @param {string} text
 */
function paint(style, text) {
  return hasColour ? styleText(style, text) : text;
}

/** Something that the demo promised did not happen. */
export class DemoFailure extends Error {}

/** @param {string} where */
export function title(where) {
  console.log(`\n ${paint("bold", "BabelQueue on SQS")}\n ${paint("dim", where)}`);
}

/**
 * @param {string} heading
 * @param {string} explanation
 */
export function section(heading, explanation) {
  console.log(`\n ${paint(["bold", "cyan"], heading)}\n ${paint("dim", explanation)}\n`);
}

/** @type {Record<string, Parameters<typeof styleText>[0]>} */
const STYLES = {
  sent: "blue",
  handled: "green",
  failed: "yellow",
  refused: "yellow",
  "in DLQ": "magenta",
};

/**
 * One thing that happened: what, to which message, and more of it.
 *
 * @param {string} event
 * @param {string} subject
 * @param {string} detail
 */
export function row(event, subject, detail = "") {
  const what = paint(STYLES[event] ?? "dim", event.padEnd(9));
  console.log(`   ${what}${subject.padEnd(28)}${detail}`.trimEnd());
}

/** @param {string} text */
export function firstSentence(text) {
  return text.replace(/\.( .*)?$/s, "");
}

/**
 * Prints what was promised and has happened, or ends the demo.
 *
 * @param {boolean} isTrue
 * @param {string} claim
 */
export function check(isTrue, claim) {
  if (!isTrue) throw new DemoFailure(`This was expected and did not happen: ${claim}`);
  console.log(`   ${paint("green", "✓")} ${claim}`);
}

/**
 * A table with right-aligned figures; the first row is the head.
 *
 * @param {readonly (readonly [string, ...(string | number)[]])[]} rows
 */
export function table(rows) {
  rows.forEach(([name, ...figures], index) => {
    const cells = figures.map((figure, column) =>
      String(figure).padStart(String(rows[0]?.[column + 1]).length + 2),
    );
    const line = `   ${name.padEnd(14)}${cells.join("")}`;
    console.log(index === 0 ? paint("dim", line) : line);
  });
}

/** @param {string} text */
export function closing(text) {
  console.log(`\n ${paint(["bold", "green"], text)}\n`);
}

/** @param {string} text */
export function failure(text) {
  console.error(`\n ${paint(["bold", "red"], "✗")} ${text}\n`);
}
