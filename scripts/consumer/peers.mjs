import { join } from "node:path";
import { checkConsumers, checkTsc, createProject } from "./project.mjs";
import { check } from "./report.mjs";
import { compiler, requiredPeers } from "./versions.mjs";

/**
 * Compiles and runs the consumers with the lowest and with the newest peers that are allowed.
 *
 * @param {string} work
 * @param {Record<string, string>} packed
 */
export function checkPeers(work, packed) {
  /** @type {ReturnType<typeof requiredPeers>} */
  let peers = [];
  const isKnown = check("peers", () => {
    peers = requiredPeers();
    return peers
      .map(({ name, range, lowest, newest }) => `${name} ${range} is ${lowest} to ${newest}`)
      .join(", ");
  });
  if (!isKnown) return;
  for (const which of /** @type {const} */ (["lowest", "newest"])) {
    const project = createProject({
      title: `${which} peers`,
      dir: join(work, which),
      template: "app",
      dependencies: {
        ...packed,
        ...Object.fromEntries(peers.map((peer) => [peer.name, peer[which]])),
        ...compiler,
      },
    });
    if (project === undefined) continue;
    checkTsc(project, "nodenext", ["-p", "tsconfig.nodenext.json", "--noEmit", "false"]);
    checkConsumers(project);
  }
}
