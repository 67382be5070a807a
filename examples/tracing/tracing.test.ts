import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const README = new URL("../../packages/otel/README.md", import.meta.url);

/** Without trace ids and durations, which are others each time. */
function shapeOf(text: string): string[] {
  return text
    .replaceAll(/\b[\da-f]{32}\b/g, "…")
    .replaceAll(/ +\d+\.\d ms/g, "")
    .split("\n")
    .map((line) => line.trimEnd());
}

test("two processes, two queues, one trace; the README shows it", { timeout: 60_000 }, async () => {
  const { FORCE_COLOR: _, ...env } = process.env;
  const main = fileURLToPath(new URL("main.mjs", import.meta.url));
  const { stdout, stderr } = await run(process.execPath, [main], { env });
  expect(stderr).toBe("");
  const shape = shapeOf(stdout);
  expect(shape).toEqual([
    "",
    " One trace, two processes, two queues: …",
    "",
    "   POST /orders                 producer",
    "   └─ send orders               producer",
    "      ├─ process orders         consumer   ✗ PaymentTimeoutError",
    "      │  └─ charge card         consumer",
    "      └─ process orders         consumer",
    "         ├─ charge card         consumer",
    "         └─ send emails         consumer",
    "            └─ process emails   consumer",
    "",
    "",
  ]);
  const [, picture = ""] = /^```text\n(POST[^`]*)```$/m.exec(readFileSync(README, "utf8")) ?? [];
  const indented = picture.split("\n").map((line) => (line === "" ? "" : `   ${line}`));
  expect(shapeOf(indented.join("\n"))).toEqual(shape.slice(3, -1));
});
