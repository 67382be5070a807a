import { join } from "node:path";
import { check } from "../ci/report.mjs";
import { run } from "../ci/run.mjs";
import { createProject } from "./project.mjs";
import { jest, testedPeers } from "./versions.mjs";

const files = [
  { file: "commonjs.test.js", flags: [] },
  // without a configuration for Babel, Jest turns no ES module into CommonJS
  { file: "esm.test.mjs", flags: ["--experimental-vm-modules"] },
];

/**
 * Runs tests in Jest, which is not configured.
 *
 * @param {string} work
 * @param {Record<string, string>} packed
 */
export function checkJest(work, packed) {
  const project = createProject({
    title: `Jest ${jest.jest}`,
    dir: join(work, "jest"),
    template: "jest",
    dependencies: { ...packed, ...testedPeers, ...jest },
  });
  if (project === undefined) return;
  const { dir, title, manager } = project;
  for (const { file, flags } of files) {
    check(`${title}: ${[...flags, file].join(" ")}`, () => {
      run([...manager.node, ...flags, "node_modules/jest/bin/jest.js", file], dir, manager.env);
    });
  }
}
