import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BODY, type programOf } from "./browser/program.js";

const folders = (process.env["PATH"] ?? "").split(delimiter);
const found = ["chromium", "chromium-browser", "google-chrome"]
  .flatMap((name) => folders.map((folder) => join(folder, name)))
  .find((path) => existsSync(path));
const PROGRAM = process.env["CHROMIUM"] ?? found ?? "chromium";

/** Why the tests are skipped; undefined where they are not. */
const whySkipped = existsSync(PROGRAM)
  ? undefined
  : `no ${PROGRAM} here; install Debian's package chromium, or set CHROMIUM`;
if (whySkipped !== undefined) console.log(`core is not tested in a browser: ${whySkipped}`);

/** The program with core as a bundler finds it by name, from a package that depends on it. */
async function bundle(): Promise<string> {
  const program = fileURLToPath(new URL("browser/program.ts", import.meta.url));
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import * as core from "@babelqueue/core";
        import { programOf } from ${JSON.stringify(program)};
        export const program = programOf(core);`,
      resolveDir: fileURLToPath(new URL("../../examples/redis-transport", import.meta.url)),
    },
    bundle: true,
    write: false,
    platform: "browser",
    format: "iife",
    globalName: "bundle",
  });
  return outputFiles[0]?.text ?? "";
}

describe.skipIf(whySkipped !== undefined)(`core in a browser (${whySkipped ?? "Chromium"})`, () => {
  // serves a secure context, without which there is no crypto.randomUUID
  const server = createServer((_, response) => response.end("<!doctype html>"));
  let browser: Browser | undefined;
  let page: Page;
  const troubles: string[] = [];

  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    browser = await chromium.launch({ executablePath: PROGRAM, timeout: 30_000 });
    page = await browser.newPage();
    page.on("pageerror", (error) => troubles.push(String(error)));
    page.on("console", (line) => {
      if (line.type() === "error") troubles.push(line.text());
    });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await page.addScriptTag({ content: await bundle() });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    server.close();
  });

  const answerOf = (name: keyof ReturnType<typeof programOf>): Promise<unknown> =>
    page.evaluate(`bundle.program.${name}()`);

  test("nothing of Node is there", async () => {
    expect(await answerOf("globals")).toEqual(["window"]);
  });

  test("an envelope is created", async () => {
    const uuid = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(await answerOf("create")).toEqual({
      job: "urn:babel:orders:created",
      trace_id: uuid,
      data: { order_id: 1042 },
      meta: {
        id: uuid,
        queue: "default",
        lang: "node",
        schema_version: 1,
        created_at: expect.any(Number),
      },
      attempts: 0,
    });
  });

  test("a large integer is a bigint, and is written with all its digits", async () => {
    expect(await answerOf("decode")).toEqual({ order_id: 9007199254740993n, price: 99.9 });
    expect(await answerOf("encode")).toBe(BODY.replace("99.90", "99.9"));
  });

  test("amending leaves every other byte as it came", async () => {
    expect(await answerOf("amend")).toBe(BODY.replace('"attempts":0', '"attempts":3'));
  });

  test("a message goes to the handler of its URN", async () => {
    expect(await answerOf("route")).toEqual({ kind: "ack", handled: [["m-1", 2]], isLost: true });
  });

  test("poison is dead-lettered as text beside a block, a schema version of the future as it came", async () => {
    const wrapped = expect.stringMatching(/^\{"raw":"poison","dead_letter":\{"reason":"poison",/);
    expect(await answerOf("refuse")).toEqual({
      poison: { kind: "dead-letter", error: "InvalidEnvelopeError", deadLetter: wrapped },
      gated: { kind: "dead-letter", error: "UnsupportedSchemaVersionError", deadLetter: BODY },
      told: ["invalid_envelope", "unsupported_schema_version"],
    });
  });

  test("without hooks, what goes wrong breaks nothing", async () => {
    expect(await answerOf("withoutHooks")).toEqual(["dead-letter", "release"]);
  });

  test("the page reports no error of its own", async () => {
    await page.close();
    expect(troubles).toEqual([]);
  });
});
