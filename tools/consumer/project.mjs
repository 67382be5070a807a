import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packages, root } from "../ci/packages.mjs";
import { check } from "../ci/report.mjs";
import { run, runToPrint } from "../ci/run.mjs";
import { npm, pnpmCommand } from "./managers.mjs";

/**
 * Packs the packages into a folder, and returns them as dependencies of the projects beside them.
 *
 * @param {string} work
 * @returns {Record<string, string>}
 */
export function pack(work) {
  for (const name of packages) {
    run([...pnpmCommand, "pack", "--pack-destination", work], join(root, "packages", name));
  }
  const tarballs = readdirSync(work);
  return Object.fromEntries(
    packages.map((name) => {
      const file = tarballs.find((tarball) => tarball.startsWith(`babelqueue-${name}-`));
      return [`@babelqueue/${name}`, `file:../${file}`];
    }),
  );
}

/**
 * Makes a project of a folder in templates/, with these dependencies and no others. Returns
 * undefined if they can't be installed.
 *
 * @param {{
 *   title: string,
 *   dir: string,
 *   template: string,
 *   dependencies: Record<string, string>,
 *   manager?: import("./managers.mjs").Manager,
 * }} options
 */
export function createProject({ title, dir, template, dependencies, manager = npm }) {
  const isInstalled = check(`${title}: install`, () => {
    cpSync(join(root, "tools/consumer/templates", template), dir, { recursive: true });
    manager.install(dir, { name: "consumer", private: true, dependencies });
  });
  return isInstalled ? { title, dir, manager } : undefined;
}
/** @typedef {NonNullable<ReturnType<typeof createProject>>} Project */

/**
 * @param {Project} project
 * @param {string} mode
 */
export function checkTsc({ title, dir, manager }, mode) {
  check(`${title}: tsc ${mode}`, () => {
    run([...manager.tsc, "-p", `tsconfig.${mode}.json`], dir, manager.env);
  });
}

/**
 * Runs the two consumers that tsc has compiled of the template `app`.
 *
 * @param {Project} project
 */
export function checkConsumers({ dir, title, manager }, node = manager.node) {
  for (const file of ["esm.mjs", "cjs.cjs"]) {
    check(`${title}: ${file}`, () => {
      // the id's length, messages polled, what was handled, attributes, errors known, otel loaded
      runToPrint([...node, join("out", file)], dir, "36 1 1042 6 true object", manager.env);
    });
  }
}
