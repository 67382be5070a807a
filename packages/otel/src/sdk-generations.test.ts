import { execFile, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Send } from "@babelqueue/core";
import type * as api from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { otel } from "./index.js";
import { OUTBOUND } from "./messages.fixture.js";
import { startSdk } from "./sdk.fixture.js";

const run = promisify(execFile);
const ROOT = new URL("../../../", import.meta.url);
/** The second generation, or, in the project `otel-sdk-3` of vitest.config.ts, the third. */
const generation = process.env["OTEL_SDK"] ?? "2";
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const runsThird = major > 22 || (major === 22 && minor >= 15);

/** Where every copy of the API registers what is global. */
const GLOBAL = Symbol.for("opentelemetry.js.api.1");
const globals = globalThis as { [GLOBAL]?: { readonly version: string } };
afterEach(() => {
  delete globals[GLOBAL];
});

test(`these tests run on generation ${generation} of the SDK`, async () => {
  const spans = startSdk();
  await otel().send(async () => [{ ok: true }])([OUTBOUND]);
  const { resource } = spans.one("send orders");
  const versions = [globals[GLOBAL]?.version, resource.attributes["telemetry.sdk.version"]];
  expect(versions.join(" ")).toMatch(generation === "3" ? /^1\.1\d\.\S+ 3\./ : /^1\.9\.\S+ 2\./);
});

describe("an application with another copy of the API than ours", () => {
  const folder = generation === "3" ? "packages/otel/" : "tools/otel-sdk-3/";
  const require = createRequire(new URL(`${folder}package.json`, ROOT));
  const other = require("@opentelemetry/api") as typeof api;

  /** Registers an SDK by the other copy, and sends. */
  async function sendBeside(): Promise<{ exporter: InMemorySpanExporter; isUntouched: boolean }> {
    const exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor(exporter)];
    other.trace.setGlobalTracerProvider(new NodeTracerProvider({ spanProcessors }));
    const batch = [OUTBOUND];
    const next = vi.fn<Send>(async () => [{ ok: true }]);
    await otel().send(next)(batch);
    return { exporter, isUntouched: next.mock.lastCall?.[0] === batch };
  }

  // the API refuses to read what an older one registered
  const isNewer = generation === "2";
  test(`${isNewer ? "a newer" : "an older"} one: ${isNewer ? "spans are made" : "nothing happens"}`, async () => {
    const { exporter, isUntouched } = await sendBeside();
    const names = exporter.getFinishedSpans().map(({ name }) => name);
    expect(names).toEqual(isNewer ? ["send orders"] : []);
    expect(isUntouched).toBe(!isNewer);
  });
});

/** A Node on this machine that runs the third generation. */
function findNode(): string | undefined {
  const platform = `${process.platform}-${process.arch}`;
  const candidates = [22, 24, 26].flatMap((version) => [
    process.env[`NODE_${version}`] ?? "",
    fileURLToPath(new URL(`tools/nodes/node_modules/node-${version}-${platform}/bin/node`, ROOT)),
  ]);
  return candidates.find((path) => path !== "" && spawnSync(path, ["-v"]).status === 0);
}

test("all of them pass on generation 3", { timeout: 180_000 }, async ({ skip }) => {
  skip(runsThird, "this Node runs them as a project of their own, otel-sdk-3");
  const node = findNode();
  if (node === undefined) {
    skip("generation 3 needs Node 22.15, and there is none here: npm ci --prefix tools/nodes");
    return;
  }
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_OPTIONS|NODE_V8)/.test(name)),
  );
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project=otel-sdk-3", "--reporter=dot"];
  const cwd = fileURLToPath(ROOT);
  const { stdout } = await run(node, args, { cwd, env: { ...env, NO_COLOR: "1" } });
  expect(stdout).toMatch(/Tests +\d{3} passed/);
});
