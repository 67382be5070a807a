// Packs the packages, and checks the tarballs as users have them: installed with npm, pnpm and Yarn,
// compiled, under each Node, with the oldest and newest peers, in Jest, NestJS and a Lambda bundle.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeVersions } from "../ci/node-versions.mjs";
import { printTally, skip } from "../ci/report.mjs";
import { checkJest } from "./jest.mjs";
import { checkLambda } from "./lambda.mjs";
import { npm, pnpm, yarn } from "./managers.mjs";
import { checkNest } from "./nest.mjs";
import { checkPacked } from "./packed.mjs";
import { checkPeers } from "./peers.mjs";
import { checkConsumers, checkTsc, createProject, pack } from "./project.mjs";
import { compiler, testedPeers } from "./versions.mjs";

const work = mkdtempSync(join(tmpdir(), "consumer-"));
try {
  const packed = pack(work);
  const project = checkManager(npm, packed);
  if (project !== undefined) {
    checkPacked(project);
    checkNodes(project);
    checkLambda(project);
  }
  checkManager(pnpm, packed);
  checkManager(yarn, packed);
  checkPeers(work, packed);
  checkJest(work, packed);
  checkNest(work, packed);
} finally {
  rmSync(work, { recursive: true, force: true });
}
printTally();

/**
 * Compiles and runs the consumers with what a package manager has installed.
 *
 * @param {import("./managers.mjs").Manager} manager
 * @param {Record<string, string>} packed
 */
function checkManager(manager, packed) {
  const project = createProject({
    title: manager.name,
    dir: join(work, manager.name),
    template: "app",
    dependencies: { ...packed, ...testedPeers, ...compiler },
    manager,
  });
  if (project === undefined) return undefined;
  for (const mode of ["node16", "nodenext", "bundler"]) checkTsc(project, mode);
  checkConsumers(project);
  return project;
}

/** @param {import("./project.mjs").Project} project */
function checkNodes(project) {
  for (const { major, version, program, why } of nodeVersions()) {
    if (program === undefined) skip(`Node ${major}`, why);
    else checkConsumers({ ...project, title: `Node ${version}` }, [program]);
  }
}
