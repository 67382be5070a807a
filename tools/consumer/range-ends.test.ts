import { expect, test } from "vitest";
import { rangeEnds } from "./range-ends.mjs";

const versions = [
  { version: "3.1200.0", engines: { node: ">=22" } },
  { version: "3.990.0", engines: { node: ">=18.0.0" } },
  { version: "3.1199.0", engines: { node: ">=20.0.0" } },
];

test("a Node that every version runs on gets the lowest and the newest", () => {
  const ends = { lowest: "3.990.0", newest: "3.1200.0", tooNew: undefined };
  expect(rangeEnds(versions, "22.1.0")).toEqual(ends);
});

test("an older Node gets the newest that runs on it, and hears of the one that does not", () => {
  const ends = { lowest: "3.990.0", newest: "3.1199.0", tooNew: versions[0] };
  expect(rangeEnds(versions, "20.19.0")).toEqual(ends);
});

test("a version that names no engines runs on any Node", () => {
  const ends = { lowest: "1.0.0", newest: "1.0.0", tooNew: undefined };
  expect(rangeEnds([{ version: "1.0.0" }], "20.19.0")).toEqual(ends);
});

test("with no version that runs on it there is nothing to check", () => {
  expect(() => rangeEnds(versions, "16.0.0")).toThrow("Node 16.0.0 runs none of");
});
