import { join } from "node:path";
import { npmEnv } from "../node-versions.mjs";
import { manifestOf, packages, root } from "../packages.mjs";
import { check } from "../report.mjs";
import { run } from "../run.mjs";
import { checkConsumers, checkTsc, createProject } from "./project.mjs";
import { compiler } from "./versions.mjs";

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
    checkTsc(project, "nodenext");
    checkConsumers(project);
  }
}

/**
 * The peers that the packages require, with the lowest and the newest version that the registry has
 * in the range. The lowest may be above the range's own: AWS skips versions of a client.
 */
function requiredPeers() {
  const manifests = packages.map((name) => manifestOf(join(root, "packages", name)));
  const ranges = manifests.flatMap(({ peerDependencies = {}, peerDependenciesMeta = {} }) =>
    Object.entries(peerDependencies).filter(([name]) => !peerDependenciesMeta[name]?.optional),
  );
  return ranges.map(([name, range]) => {
    const command = ["npm", "view", `${name}@${range}`, "version", "--json"];
    /** @type {string[]} */
    const versions = [JSON.parse(run(command, root, npmEnv()))].flat();
    versions.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    return { name, range, lowest: versions.at(0) ?? "", newest: versions.at(-1) ?? "" };
  });
}
