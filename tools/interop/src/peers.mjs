// The peers: SDKs of other languages as their authors published them, the newest that is served.
import { Child } from "./child.mjs";
import { command } from "./command.mjs";
import { startPrograms } from "./party.mjs";
import { peerFile } from "./paths.mjs";
import { virtualEnvironment } from "./python.mjs";
import { Unavailable } from "./unavailable.mjs";

/** @type {readonly { name: string, prepare: () => Promise<import("./party.mjs").Peer> }[]} */
export const peers = [
  { name: "python", prepare: preparePython },
  { name: "go", prepare: prepareGo },
];

async function preparePython() {
  const { bin, versionOf } = await virtualEnvironment(
    "python",
    peerFile("python/requirements.txt"),
  );
  return {
    name: "python",
    sdk: "babelqueue[sqs]",
    version: await versionOf("babelqueue"),
    start: (/** @type {string} */ endpoint) =>
      startPrograms(
        "python",
        (program) => new Child(bin("python"), [peerFile(`python/${program}.py`), endpoint]),
      ),
  };
}

const GO_MODULE = "github.com/babelqueue/babelqueue-go/sqs";

/** @returns {Promise<never>} */
async function prepareGo() {
  const version = await command("go", ["list", "-m", "-f", "{{.Version}}", `${GO_MODULE}@latest`]);
  throw new Unavailable(
    `${version.trim()} is served; peers/go has no program for it, since it was not served when this was written`,
  );
}
