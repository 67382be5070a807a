import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmEnv } from "../node-versions.mjs";
import { run } from "./run.mjs";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const packages = ["core", "sqs", "otel"];

/** What only these checks use, pinned so that a run can be repeated. */
export const yarnCli = "@yarnpkg/cli-dist@4.18.1";
export const jest = { jest: "30.5.2" };
export const nest = {
  "@nestjs/common": "12.5.1",
  "@nestjs/core": "12.5.1",
  "reflect-metadata": "0.2.2",
  rxjs: "7.8.2",
};

/**
 * The package.json in a folder.
 *
 * @param {string} dir
 */
export function manifestOf(dir) {
  return JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
}

/**
 * The version of a dependency that is installed at the root, or in a folder of the workspace.
 *
 * @param {string} name
 * @returns {string}
 */
function installed(name, dir = ".") {
  return manifestOf(join(root, dir, "node_modules", name)).version;
}

/** The peers that the workspace is tested with. */
export const peers = {
  "@aws-sdk/client-sqs": installed("@aws-sdk/client-sqs", "packages/sqs"),
  "@opentelemetry/api": installed("@opentelemetry/api", "packages/otel"),
};
export const compiler = {
  typescript: process.env["CONSUMER_TYPESCRIPT"] ?? installed("typescript"),
  "@types/node": installed("@types/node"),
};

/**
 * The peers that the packages require, with the lowest and the newest version that the registry has
 * in the range. The lowest may be above the range's own: AWS skips versions of a client.
 */
export function requiredPeers() {
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
