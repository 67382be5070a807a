// Packages of the Python registry, in virtual environments of their own.
import { existsSync } from "node:fs";
import { command } from "./command.mjs";
import { cacheFile } from "./paths.mjs";

/**
 * Installs the newest versions that are served.
 *
 * @param {string} name of the environment
 * @param {string} requirements a file
 */
export async function virtualEnvironment(name, requirements) {
  const folder = cacheFile(name);
  const bin = (/** @type {string} */ program) => `${folder}/bin/${program}`;
  if (!existsSync(bin("python")) || !existsSync(bin("pip")))
    await command("python3", ["-m", "venv", "--clear", folder]);
  await command(bin("python"), [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--upgrade",
    "--requirement",
    requirements,
  ]);
  return {
    bin,
    /** @param {string} distribution */
    versionOf: async (distribution) => {
      const code = `import importlib.metadata as m; print(m.version("${distribution}"))`;
      return (await command(bin("python"), ["-c", code])).trim();
    },
  };
}
