import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmEnv } from "../ci/node-versions.mjs";
import { run } from "../ci/run.mjs";
import { yarnCli } from "./versions.mjs";

/**
 * Installs what a project's package.json names, and runs Node.js and TypeScript in it.
 *
 * @typedef {object} Manager
 * @property {string} name
 * @property {NodeJS.ProcessEnv} env
 * @property {(dir: string, manifest: Manifest) => void} install
 * @property {readonly string[]} node
 * @property {readonly string[]} tsc
 */
/** @typedef {{ name: string, private: true, dependencies: Record<string, string> }} Manifest */

const env = npmEnv();
const node = [process.execPath];
const tsc = [process.execPath, "node_modules/typescript/bin/tsc"];

// what runs this script knows where pnpm is: a .cjs with pnpm 10, a program of its own later
const path = env["npm_execpath"] ?? "pnpm";
export const pnpmCommand = /\.[cm]?js$/.test(path) ? [process.execPath, path] : [path];

const yarnCommand = ["npx", "-y", yarnCli];
const cafile = npmSetting("cafile");
/** Yarn reads no .npmrc. Its default linker is the strictest: an undeclared import fails under it. */
const yarnEnv = {
  ...env,
  YARN_NPM_REGISTRY_SERVER: npmSetting("registry").replace(/\/$/, ""),
  ...(cafile === "null" ? {} : { YARN_HTTPS_CA_FILE_PATH: cafile }),
  YARN_NODE_LINKER: "pnp",
  // there is no lockfile, and what is pinned here may have come out today
  YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
  YARN_NPM_MINIMAL_AGE_GATE: "0",
  YARN_ENABLE_TELEMETRY: "0",
};

/** @type {Manager} */
export const npm = {
  name: "npm",
  env,
  install(dir, manifest) {
    write(dir, "package.json", manifest);
    run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], dir, env);
  },
  node,
  tsc,
};

/** @type {Manager} */
export const pnpm = {
  name: "pnpm",
  env,
  install(dir, manifest) {
    write(dir, "package.json", manifest);
    // JSON is YAML; pnpm 11 and newer refuse what came out today
    const settings = { overrides: packedCore(manifest), minimumReleaseAge: 0 };
    write(dir, "pnpm-workspace.yaml", settings);
    const flags = ["--no-frozen-lockfile", "--prefer-offline", "--ignore-scripts"];
    run([...pnpmCommand, "install", ...flags], dir, env);
  },
  node,
  tsc,
};

/** @type {Manager} */
export const yarn = {
  name: "yarn",
  env: yarnEnv,
  install(dir, manifest) {
    write(dir, "package.json", { ...manifest, resolutions: packedCore(manifest) });
    run([...yarnCommand, "install"], dir, yarnEnv);
  },
  node: [...yarnCommand, "node"],
  // Yarn patches TypeScript, so that it finds what is in Yarn's archives
  tsc: [...yarnCommand, "tsc"],
};

/** @param {string} key */
function npmSetting(key) {
  return run(["npm", "config", "get", key], ".", env).trim();
}

/**
 * @param {string} dir
 * @param {string} file
 * @param {object} content
 */
function write(dir, file, content) {
  writeFileSync(join(dir, file), JSON.stringify(content, null, 2));
}

/**
 * No registry has the version of core that the other packages name. npm takes the one at the top of
 * the project, the others have to be told.
 *
 * @param {Manifest} manifest
 */
function packedCore({ dependencies: { "@babelqueue/core": file } }) {
  return { "@babelqueue/core": file };
}
