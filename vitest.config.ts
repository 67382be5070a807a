import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Tests run on the source, so that coverage is true and nothing stale is tested. */
const alias = [
  [/^@babelqueue\/core$/, "packages/core/src/index.ts"],
  [/^@babelqueue\/core\/testing$/, "packages/core/src/testing/index.ts"],
  [/^@babelqueue\/core\/transport$/, "packages/core/src/transport.ts"],
  [/^@babelqueue\/sqs$/, "packages/sqs/src/index.ts"],
  [/^@babelqueue\/sqs\/lambda$/, "packages/sqs/src/lambda.ts"],
  [/^@babelqueue\/sqs\/testing$/, "packages/sqs/src/testing.ts"],
  [/^@babelqueue\/otel$/, "packages/otel/src/index.ts"],
  [/^fake-sqs$/, "tools/fake-sqs/src/index.ts"],
] as const;

/** The type tests run once; `pnpm check:nodes` leaves them out. */
const typeTests = process.env["NO_TYPE_TESTS"] === undefined;

const packages = [
  { name: "core", tsconfig: "tsconfig.test.json" },
  { name: "sqs", tsconfig: "tsconfig.json" },
  { name: "otel", tsconfig: "tsconfig.json" },
].map(({ name, tsconfig }) => ({
  extends: true as const,
  root: `packages/${name}`,
  test: {
    name,
    include: ["src/**/*.test.ts"],
    typecheck: { enabled: typeTests, include: ["src/**/*.test-d.ts"], tsconfig },
  },
}));

const sdk3 = source("tools/otel-sdk-3/src/second-generation.ts");
/** Imports OpenTelemetry from tools/otel-sdk-3, which has the third generation of its SDK. */
const importSdk3: Plugin = {
  name: "import-otel-sdk-3",
  enforce: "pre",
  resolveId(id) {
    if (!id.startsWith("@opentelemetry/")) return undefined;
    return /sdk-trace-(base|node)$/.test(id) ? sdk3 : this.resolve(id, sdk3, { skipSelf: true });
  },
};

/** Node 22.15 is the oldest that the third generation runs on; packages/otel tests it from others. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const otelOnSdk3 = {
  extends: true as const,
  root: "packages/otel",
  plugins: [importSdk3],
  test: { name: "otel-sdk-3", include: ["src/**/*.test.ts"], env: { OTEL_SDK: "3" } },
};
const generations = major > 22 || (major === 22 && minor >= 15) ? [otelOnSdk3] : [];

const tools = ["conformance", "fake-sqs", "soak"].map((name) => ({
  extends: true as const,
  root: `tools/${name}`,
  test: { name, include: ["**/*.test.ts"] },
}));

const fuzz = {
  extends: true as const,
  root: "tools/fuzz",
  test: {
    name: "fuzz",
    include: ["src/*.test.ts"],
    globalSetup: [source("tools/fuzz/src/seed.ts")],
  },
};

const examples = {
  extends: true as const,
  test: { name: "examples", include: ["examples/**/*.test.ts"] },
};

/** The docs, the scripts, and core in a browser. */
const repository = {
  extends: true as const,
  test: { name: "repository", include: ["tools/{ci,consumer,tests}/*.test.ts"] },
};

export default defineConfig({
  resolve: {
    alias: alias.map(([find, path]) => ({ find, replacement: source(path) })),
  },
  test: {
    // one for each processor: the process that hands out the tests has little to do
    maxWorkers: availableParallelism(),
    // by January 2027 the SDK wants Node 22, and says so in each process; the check of the newest peers
    // tells which version still runs on an older one
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
    reporters: ["default", "./tools/ci/tally-reporter.ts"],
    coverage: {
      provider: "v8",
      include: ["packages/{core,sqs,otel}/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/*.test-d.ts", "**/*.fixture.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: {
        "packages/core/src/**": { lines: 95 },
        "packages/sqs/src/**": { lines: 95 },
        "packages/otel/src/**": { lines: 95 },
      },
    },
    projects: [...packages, ...generations, ...tools, fuzz, examples, repository],
  },
});
