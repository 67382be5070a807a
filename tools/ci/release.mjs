// `pnpm release` publishes what `changeset version` has prepared; with --dry-run it shows what would
// come of the commits so far: versions, changelogs, and the files of each package.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manifestOf, packages, root } from "./packages.mjs";

const changeset = join(root, "node_modules/@changesets/cli/bin.js");

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {"inherit" | "pipe"} stdout
 */
function run(program, args, cwd, stdout = "pipe") {
  const { status, stdout: output } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", stdout, "inherit"],
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
  return output;
}

function dryRun() {
  const copy = mkdtempSync(join(tmpdir(), "release-"));
  try {
    run("git", ["clone", "--quiet", root, copy], root);
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    run(process.execPath, [changeset, "version"], copy);
    const versions = packages.map((name) => {
      const folder = join(copy, "packages", name);
      /** @type {{ name: string, version: string }} */
      const manifest = manifestOf(folder);
      console.log(`\n${manifest.name} ${manifest.version}\n`);
      const changes = readFileSync(join(folder, "CHANGELOG.md"), "utf8").split(/^## /m)[1] ?? "";
      console.log(changes.trim().replaceAll(/^/gm, "  "));
      return manifest.version;
    });
    if (new Set(versions).size !== 1) throw new Error(`Not one version: ${versions.join(", ")}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  for (const name of packages) {
    const folder = join(root, "packages", name);
    /** @type {[{ name: string, size: number, files: { path: string }[] }]} */
    const [packed] = JSON.parse(run("npm", ["pack", "--dry-run", "--json"], folder));
    console.log(`\n${packed.name}: ${packed.files.length} files, ${packed.size} bytes packed`);
    for (const { path } of packed.files) console.log(`  ${path}`);
  }
}

if (process.argv.includes("--dry-run")) dryRun();
else run(process.execPath, [changeset, "publish"], root, "inherit");
