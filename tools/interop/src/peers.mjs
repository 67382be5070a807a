// The peers: SDKs of other languages as their authors published them, the newest that is served.
import { mkdir } from "node:fs/promises";
import { Child } from "./child.mjs";
import { command } from "./command.mjs";
import { classPath, versionIn } from "./maven.mjs";
import { startPrograms } from "./party.mjs";
import { cacheFile, peerFile } from "./paths.mjs";
import { virtualEnvironment } from "./python.mjs";
import { Unavailable } from "./unavailable.mjs";

/** @type {readonly { name: string, prepare: () => Promise<import("./party.mjs").Peer> }[]} */
export const peers = [
  { name: "python", prepare: preparePython },
  { name: "java", prepare: prepareJava },
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

async function prepareJava() {
  const path = await classPath("java", peerFile("java/pom.xml"));
  const classes = cacheFile("java-classes");
  await mkdir(classes, { recursive: true });
  try {
    await command("javac", ["-d", classes, "-cp", path, ...JAVA_SOURCES.map(peerFile)]);
  } catch (error) {
    // served, but not as its documentation has it: that is ours to mend
    throw new Error("peers/java does not compile", { cause: error });
  }
  return {
    name: "java",
    sdk: "com.babelqueue:babelqueue-sqs",
    version: versionIn(path, "babelqueue-sqs"),
    start: (/** @type {string} */ endpoint) =>
      startPrograms("java", (program) => {
        const main = program === "producer" ? "Producer" : "Consumer";
        return new Child("java", ["-cp", `${classes}:${path}`, main, endpoint]);
      }),
  };
}

const JAVA_SOURCES = ["java/Producer.java", "java/Consumer.java", "java/Tasks.java"];
const GO_MODULE = "github.com/babelqueue/babelqueue-go/sqs";

/** @returns {Promise<never>} */
async function prepareGo() {
  const version = await command("go", ["list", "-m", "-f", "{{.Version}}", `${GO_MODULE}@latest`]);
  throw new Unavailable(
    `${version.trim()} is served; peers/go has no program for it, since it was not served when this was written`,
  );
}
