import { join } from "node:path";
import { manifestOf, root } from "../ci/packages.mjs";

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
 * The version of a dependency that is installed at the root, or in a folder of the workspace.
 *
 * @param {string} name
 * @returns {string}
 */
function installed(name, dir = ".") {
  return manifestOf(join(root, dir, "node_modules", name)).version;
}

/** The peers that the workspace is tested with. */
export const testedPeers = {
  "@aws-sdk/client-sqs": installed("@aws-sdk/client-sqs", "packages/sqs"),
  "@opentelemetry/api": installed("@opentelemetry/api", "packages/otel"),
};
export const compiler = {
  typescript: process.env["CONSUMER_TYPESCRIPT"] ?? installed("typescript"),
  "@types/node": installed("@types/node"),
};
