import { join } from "node:path";
import { check } from "../ci/report.mjs";
import { runToPrint } from "../ci/run.mjs";
import { checkTsc, createProject } from "./project.mjs";
import { compiler, nest, testedPeers } from "./versions.mjs";

/**
 * Compiles and runs an application of NestJS that is CommonJS, and consumes as long as it is up.
 *
 * @param {string} work
 * @param {Record<string, string>} packed
 */
export function checkNest(work, packed) {
  const project = createProject({
    title: `NestJS ${nest["@nestjs/core"]}`,
    dir: join(work, "nest"),
    template: "nest",
    dependencies: { ...packed, ...testedPeers, ...compiler, ...nest },
  });
  if (project === undefined) return;
  const { dir, title, manager } = project;
  checkTsc(project, "nodenext");
  check(`${title}: handles a message, shuts down and ends`, () => {
    // before and after: the consumer's state; the order; handled, in flight; what was deleted
    runToPrint([...manager.node, "dist/main.js"], dir, "runs 1042 1 0 r-1 stopped", manager.env);
  });
}
