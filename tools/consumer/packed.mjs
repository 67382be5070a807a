import { readdirSync } from "node:fs";
import { join } from "node:path";
import { manifestOf, packages } from "../ci/packages.mjs";
import { check } from "../ci/report.mjs";
import { run } from "../ci/run.mjs";

/**
 * Checks what the tarballs brought into a project of npm.
 *
 * @param {import("./project.mjs").Project} project
 */
export function checkPacked({ dir, manager }) {
  for (const name of packages) {
    const installed = join(dir, "node_modules/@babelqueue", name);
    check(`${name}: no workspace: or catalog: range is left`, () => {
      const manifest = JSON.stringify(manifestOf(installed), null, 2);
      if (/"(workspace|catalog):/.test(manifest)) throw new Error(manifest);
    });
    check(`${name}: the licence and the source are in it, the tests are not`, () => {
      const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
      const tests = files.filter((file) => /\.(test|test-d|fixture)\./.test(file));
      if (tests.length > 0) throw new Error(`it contains ${tests.join(", ")}`);
      for (const file of ["LICENSE", join("src", "index.ts"), join("dist", "index.d.cts")]) {
        if (!files.includes(file)) throw new Error(`it lacks ${file}`);
      }
    });
  }
  check("npm ls", () => {
    run(["npm", "ls", "--all"], dir, manager.env);
  });
}
