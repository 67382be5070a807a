// Fails if what changed in the API reports since the last release needs a larger version step than
// the changesets announce. With no release yet there is nothing to compare.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const STEPS = /** @type {const} */ (["none", "patch", "minor", "major"]);
/** @typedef {(typeof STEPS)[number]} Step */

/**
 * The step that a change of an API report needs: what was there must stay, what is new is a feature.
 *
 * @param {string} before
 * @param {string} after
 * @returns {Step}
 */
export function stepOf(before, after) {
  const [old, now] = [before, after].map(
    (report) => new Set(report.split("\n").filter((line) => line.trim() && !line.startsWith("//"))),
  );
  if (old === undefined || now === undefined) return "none";
  if ([...old].some((line) => !now.has(line))) return "major";
  return [...now].some((line) => !old.has(line)) ? "minor" : "none";
}

/**
 * The largest step that changesets announce.
 *
 * @param {readonly string[]} changesets
 * @returns {Step}
 */
export function announcedBy(changesets) {
  const steps = changesets.flatMap((text) => {
    const [, head = ""] = /^---\n([^]*?)\n---/.exec(text) ?? [];
    return [...head.matchAll(/:\s*(patch|minor|major)\s*$/gm)].map(([, step]) => step);
  });
  const announced = new Set(steps);
  return [...STEPS].reverse().find((step) => announced.has(step)) ?? "none";
}

function main() {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const git = (/** @type {string[]} */ ...args) =>
    spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.trim();
  const [tag] = git("tag", "--list", "@babelqueue/core@*", "--sort=-v:refname").split("\n");
  if (!tag) {
    console.log("no release yet, so no API to keep");
    return;
  }
  const folder = `${root}.changeset/`;
  const announced = announcedBy(
    readdirSync(folder)
      .filter((file) => file.endsWith(".md") && file !== "README.md")
      .map((file) => readFileSync(folder + file, "utf8")),
  );
  for (const path of git("ls-tree", "-r", "--name-only", tag, "packages")
    .split("\n")
    .filter((file) => file.endsWith(".api.md"))) {
    const now = existsSync(root + path) ? readFileSync(root + path, "utf8") : "";
    const needed = stepOf(git("show", `${tag}:${path}`), now);
    const isEnough = STEPS.indexOf(needed) <= STEPS.indexOf(announced);
    console.log(`${isEnough ? "ok" : "FAILED"}  ${path}: needs ${needed}, announced ${announced}`);
    if (!isEnough) process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
