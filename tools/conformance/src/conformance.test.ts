import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runnersFor } from "./block.js";
import { blocks } from "./blocks/index.js";
import { openFolder } from "./folder.js";
import { leftOutLines, staleEntries, unknownSections } from "./sections.js";
import { tally } from "./tally.js";

const own = fileURLToPath(new URL("../vectors", import.meta.url));
const others = (process.env["BABELQUEUE_CONFORMANCE"] ?? "").split(delimiter).filter(Boolean);

describe.each([own, ...others])("%s", (path) => {
  const folder = openFolder(path);
  const runners = runnersFor(folder, blocks);

  describe.each(runners)("$key: $subject", ({ key, define }) => {
    define(folder.blocks[key], folder);
  });

  // the last one, so that it can count the others
  test("each section is run, or left out for a reason that is written down", ({ task }) => {
    expect(unknownSections(folder, blocks)).toEqual([]);
    expect(staleEntries(folder)).toEqual([]);
    if (path === own) return;
    const passed = `passed, by section: ${tally(runners, task.suite?.tasks ?? [])}`;
    console.log([passed, ...leftOutLines(folder)].join("\n"));
  });
});
