// The SQS servers, each on a port of 127.0.0.1 that is free.
import { readFile } from "node:fs/promises";
import { buildApp } from "fauxqs";
import { Child } from "./child.mjs";
import { classPath, versionIn } from "./maven.mjs";
import { installedFile, serverFile } from "./paths.mjs";
import { virtualEnvironment } from "./python.mjs";

/**
 * @typedef {object} Server
 * @property {string} name
 * @property {string} version
 * @property {() => Promise<{ endpoint: string, stop: () => Promise<unknown> }>} start
 */

const START_MS = 60_000;

/** @type {readonly { name: string, prepare: () => Promise<Server> }[]} */
export const servers = [
  { name: "fauxqs", prepare: prepareFauxqs },
  { name: "ElasticMQ", prepare: prepareElasticMq },
  { name: "moto", prepare: prepareMoto },
];

async function prepareFauxqs() {
  const manifest = await readFile(installedFile("fauxqs/package.json"), "utf8");
  const { version } = /** @type {{ version: string }} */ (JSON.parse(manifest));
  return {
    name: "fauxqs",
    version,
    start: async () => {
      const app = buildApp({ logger: false });
      const endpoint = await app.listen({ port: 0, host: "127.0.0.1" });
      return { endpoint, stop: () => app.close() };
    },
  };
}

async function prepareElasticMq() {
  const path = await classPath("elasticmq", serverFile("elasticmq.pom.xml"));
  const config = `-Dconfig.file=${serverFile("elasticmq.conf")}`;
  return {
    name: "ElasticMQ",
    version: versionIn(path, "elasticmq-server_2.13"),
    start: () =>
      listening(
        new Child("java", [config, "-cp", path, "org.elasticmq.server.Main"]),
        /Started SQS rest server, bind address (127\.0\.0\.1:\d+)/,
      ),
  };
}

async function prepareMoto() {
  const { bin, versionOf } = await virtualEnvironment("moto", serverFile("moto.txt"));
  return {
    name: "moto",
    version: await versionOf("moto"),
    start: () =>
      listening(
        new Child(bin("moto_server"), ["-H", "127.0.0.1", "-p", "0"]),
        /Running on http:\/\/(127\.0\.0\.1:\d+)/,
      ),
  };
}

/**
 * @param {Child} child
 * @param {RegExp} pattern of the line that tells where it listens
 */
async function listening(child, pattern) {
  try {
    const address = await child.line((line) => pattern.exec(line)?.[1], START_MS);
    return { endpoint: `http://${address}`, stop: () => child.stop() };
  } catch (error) {
    await child.stop();
    throw error;
  }
}
