// Packages of the Java registry.
import { mkdir, readFile } from "node:fs/promises";
import { command } from "./command.mjs";
import { cacheFile } from "./paths.mjs";

const PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";

/**
 * The class path of a project's dependencies; a range in its pom.xml gives the newest that is served.
 *
 * @param {string} name of the file that keeps it
 * @param {string} pom
 */
export async function classPath(name, pom) {
  // a machine without Java needs no Maven either
  await command("java", ["-version"]);
  await mkdir(cacheFile(""), { recursive: true });
  const file = cacheFile(`${name}.classpath`);
  await command("mvn", [
    "--batch-mode",
    "--quiet",
    "--file",
    pom,
    `${PLUGIN}:build-classpath`,
    `-Dmdep.outputFile=${file}`,
  ]);
  return (await readFile(file, "utf8")).trim();
}

/**
 * @param {string} path a class path
 * @param {string} artifact
 */
export function versionIn(path, artifact) {
  return path.split(`/${artifact}-`)[1]?.split(".jar")[0] ?? "?";
}
