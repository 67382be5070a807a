import { join } from "node:path";
import { npmEnv } from "../ci/node-versions.mjs";
import { manifestOf, packages, root } from "../ci/packages.mjs";
import { check } from "../ci/report.mjs";
import { run } from "../ci/run.mjs";
import { checkConsumers, checkTsc, createProject } from "./project.mjs";
import { rangeEnds } from "./range-ends.mjs";
import { compiler } from "./versions.mjs";

/**
 * Compiles and runs the consumers with the lowest and with the newest peers that are allowed and run
 * on this Node.
 *
 * @param {string} work
 * @param {Record<string, string>} packed
 */
export function checkPeers(work, packed) {
  /** @type {ReturnType<typeof requiredPeers>} */
  let peers = [];
  const isKnown = check("peers", () => {
    peers = requiredPeers();
    return peers.map(inWords).join(", ");
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

/** @param {ReturnType<typeof requiredPeers>[number]} peer */
function inWords({ name, range, lowest, newest, tooNew }) {
  const ends = `${name} ${range} is ${lowest} to ${newest}`;
  if (tooNew === undefined) return ends;
  return `${ends} on Node ${process.versions.node}, as ${tooNew.version} needs ${tooNew.engines?.node}`;
}

/**
 * The peers that the packages require, with the lowest version that the registry has in the range,
 * and the newest that runs on this Node. The lowest may be above the range's own: AWS skips versions
 * of a client.
 */
function requiredPeers() {
  const manifests = packages.map((name) => manifestOf(join(root, "packages", name)));
  const ranges = manifests.flatMap(({ peerDependencies = {}, peerDependenciesMeta = {} }) =>
    Object.entries(peerDependencies).filter(([name]) => !peerDependenciesMeta[name]?.optional),
  );
  return ranges.map(([name, range]) => {
    const command = ["npm", "view", `${name}@${range}`, "version", "engines", "--json"];
    /** @type {import("./range-ends.mjs").Published[]} */
    const versions = [JSON.parse(run(command, root, npmEnv()))].flat();
    return { name, range, ...rangeEnds(versions, process.versions.node) };
  });
}
