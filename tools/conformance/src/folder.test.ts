import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { block, runnersFor } from "./block.js";
import { openFolder } from "./folder.js";

let path = "";
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "conformance-"));
});
afterEach(() => {
  rmSync(path, { recursive: true });
});

const known = block({ key: "cases", subject: "nothing", define: () => undefined });

function write(manifest: unknown): void {
  writeFileSync(join(path, "manifest.json"), JSON.stringify(manifest));
}

test("a folder without a manifest is refused", () => {
  expect(() => openFolder(path)).toThrow(`${path} is no folder of conformance vectors`);
});

test("a manifest that is no object is refused", () => {
  write([]);
  expect(() => openFolder(path)).toThrow("must hold a JSON object");
});

test("a manifest without a known block is refused", () => {
  write({ schema_version: 1, amqp: {} });
  expect(() => runnersFor(openFolder(path), [known])).toThrow(
    "has none of the known blocks: cases",
  );
});

test("only blocks that are known get a runner", () => {
  write({ amqp: {}, cases: [] });
  expect(runnersFor(openFolder(path), [known])).toEqual([known]);
});

test("a body may be given in parts", () => {
  write({});
  const body = ["<", { repeat: "ab", times: 3 }, ">"];
  expect(openFolder(path).bodyOf({ body })).toBe("<ababab>");
});
