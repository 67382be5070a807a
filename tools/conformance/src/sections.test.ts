import { describe, expect, test } from "vitest";
import { block } from "./block.js";
import type { Folder } from "./folder.js";
import { LISTED_VERSION, leftOut } from "./left-out.js";
import { leftOutLines, runnable, staleEntries, unknownSections } from "./sections.js";

const known = block({ key: "cases", subject: "nothing", define: () => undefined });

const list = [
  { why: "there is no pigeon", sections: ["pigeon", "pigeon_loft"] },
  { why: "feathers are not text", sections: ["cases"], cases: ["a feather"] },
];

function folderOf(blocks: Readonly<Record<string, unknown>>): Folder {
  return { path: "suite", blocks, schema: undefined, bodyOf: () => "" };
}

describe("unknownSections", () => {
  test("names what is neither run nor left out, whether it is listed or there", () => {
    const folder = folderOf({
      conformance_version: "9.0.0",
      sections: { cases: { scope: "core" }, listed: { scope: "core" } },
      cases: [],
      there: {},
      pigeon: {},
    });
    expect(unknownSections(folder, [known], list)).toEqual(["listed", "there"]);
  });

  test("names a section of which only cases are left out, and that nobody runs", () => {
    expect(unknownSections(folderOf({ cases: [] }), [], list)).toEqual(["cases"]);
  });

  test("needs no list of sections in the manifest", () => {
    const folder = folderOf({ schema_version: 1, description: "old", cases: [], pigeon: {} });
    expect(unknownSections(folder, [known], list)).toEqual([]);
  });
});

describe("staleEntries", () => {
  const blocks = { pigeon: {}, cases: { cases: [{ name: "an egg" }] } };

  test("names the sections and cases that the manifest does not have", () => {
    const folder = folderOf({ ...blocks, conformance_version: LISTED_VERSION });
    expect(staleEntries(folder, list)).toEqual(["pigeon_loft", "cases: a feather"]);
  });

  test("says nothing of a manifest that the list is not made for", () => {
    expect(staleEntries(folderOf(blocks), list)).toEqual([]);
  });
});

test("cases are left out of their own section alone", () => {
  const cases = [{ name: "an egg" }, { name: "a feather" }];
  expect(runnable("cases", cases, list)).toEqual([{ name: "an egg" }]);
  expect(runnable("others", cases, list)).toEqual(cases);
});

test("a line says what is left out of what is there, and why", () => {
  expect(leftOutLines(folderOf({ pigeon: {}, cases: {} }), list)).toEqual([
    "left out: pigeon: there is no pigeon",
    "left out: cases (a feather): feathers are not text",
  ]);
});

test("each reason is given once", () => {
  const reasons = leftOut.map(({ why }) => why);
  expect(new Set(reasons).size).toBe(reasons.length);
});
