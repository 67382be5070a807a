// Packs the packages, installs the tarballs with npm in an empty project, compiles a TypeScript
// consumer under node16, nodenext and bundler, and runs it as ESM and CJS under each Node.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeVersions, npmEnv } from "./node-versions.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const packages = ["core", "sqs", "otel"];
const count = { passed: 0, failed: 0, skipped: 0 };

/**
 * Runs a program to its end, and returns what it printed.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 */
function sh(program, args, cwd, env = process.env) {
  const run = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    env,
    shell: process.platform === "win32",
  });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`${program} ${args.join(" ")}\n${run.stdout}${run.stderr}`);
  return run.stdout;
}
/**
 * The package.json in a folder.
 *
 * @param {string} dir
 */
function manifestOf(dir) {
  return JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
}
/**
 * @param {string} name
 * @param {() => unknown} body
 */
function check(name, body) {
  try {
    body();
    count.passed += 1;
    console.log(`ok       ${name}`);
  } catch (error) {
    count.failed += 1;
    console.log(`FAILED   ${name}\n${error instanceof Error ? error.message : String(error)}`);
  }
}
// what runs this script knows where pnpm is: a .cjs with pnpm 10, a program of its own later
const pnpm = process.env["npm_execpath"] ?? "pnpm";
const [program, first] = /\.[cm]?js$/.test(pnpm) ? [process.execPath, [pnpm]] : [pnpm, []];

const work = mkdtempSync(join(tmpdir(), "consumer-"));
try {
  for (const name of packages) {
    sh(program, [...first, "pack", "--pack-destination", work], join(root, "packages", name));
  }
  const tarballs = readdirSync(work).filter((file) => file.endsWith(".tgz"));
  const app = join(work, "app");
  cpSync(join(root, "tests/consumer"), app, { recursive: true });
  /**
   * The version of a dependency that is installed at the root, or in a folder of the workspace.
   *
   * @param {string} name
   */
  const version = (name, dir = ".") => manifestOf(join(root, dir, "node_modules", name)).version;
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true }));
  sh(
    "npm",
    [
      "install",
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
      "--ignore-scripts",
      ...tarballs.map((file) => join(work, file)),
      `@aws-sdk/client-sqs@${version("@aws-sdk/client-sqs", "packages/sqs")}`,
      `@opentelemetry/api@${version("@opentelemetry/api", "packages/otel")}`,
      `typescript@${process.env["CONSUMER_TYPESCRIPT"] ?? version("typescript")}`,
      `@types/node@${version("@types/node")}`,
    ],
    app,
    npmEnv(),
  );
  for (const name of packages) {
    const dir = join(app, "node_modules/@babelqueue", name);
    check(`${name}: no workspace: or catalog: range is left`, () => {
      const manifest = JSON.stringify(manifestOf(dir), null, 2);
      if (/"(workspace|catalog):/.test(manifest)) throw new Error(manifest);
    });
    check(`${name}: the licence and the source are in it, the tests are not`, () => {
      const files = readdirSync(dir, { recursive: true, encoding: "utf8" });
      const tests = files.filter((file) => /\.(test|test-d|fixture)\./.test(file));
      if (tests.length > 0) throw new Error(`it contains ${tests.join(", ")}`);
      for (const file of ["LICENSE", join("src", "index.ts"), join("dist", "index.d.cts")]) {
        if (!files.includes(file)) throw new Error(`it lacks ${file}`);
      }
    });
  }
  check("npm ls", () => sh("npm", ["ls", "--all"], app));
  const tsc = join(app, "node_modules/typescript/bin/tsc");
  for (const mode of ["node16", "nodenext", "bundler"]) {
    check(`tsc ${mode}`, () => sh(process.execPath, [tsc, "-p", `tsconfig.${mode}.json`], app));
  }
  for (const { major, version: v, program: node, why } of nodeVersions()) {
    for (const file of ["esm.mjs", "cjs.cjs"]) {
      if (node === undefined) {
        count.skipped += 1;
        console.log(`skipped  Node ${major} ${file} (${why})`);
        continue;
      }
      check(`Node ${v} ${file}`, () => {
        const out = sh(node, [join("out", file)], app);
        // the id's length, messages polled, what was handled, attributes, errors known, otel loaded
        if (out.trim() !== "36 1 1042 6 true object") throw new Error(`it printed ${out}`);
      });
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exitCode = count.failed === 0 ? 0 : 1;
