import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const dir = fileURLToPath(new URL("../tools/nodes/", import.meta.url));
const majors = [20, 22, 24, 26];

/**
 * Is it a setting that pnpm handed down? npm warns of those it doesn't know.
 *
 * @param {string} key
 */
const isPnpmSetting = (key) => /^npm_config_/i.test(key) && !/cache|registry|cafile/i.test(key);

/** The environment for an npm that is started below pnpm. */
export function npmEnv() {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !isPnpmSetting(key)));
}

/**
 * Does this program run, and which version is it?
 *
 * @param {string} program
 */
function versionOf(program) {
  const run = spawnSync(program, ["-p", "process.versions.node"], { encoding: "utf8" });
  return run.status === 0 ? run.stdout.trim() : undefined;
}

/**
 * One entry for each supported major: the running Node where it is of that major, else $NODE_<major>,
 * else the binary pinned in tools/nodes. `program` is undefined where none runs on this machine.
 */
export function nodeVersions() {
  const os = `${process.platform}-${process.arch}`;
  const installed = majors.every((m) => existsSync(`${dir}node_modules/node-${m}-${os}/bin/node`));
  const pinned = os === "linux-x64" || os === "linux-arm64";
  if (pinned && !installed) {
    spawnSync("npm", ["ci", "--prefix", dir], { cwd: dir, env: npmEnv(), stdio: ["ignore", 2, 2] });
  }
  return majors.map((major) => {
    const candidates = [
      process.versions.node.startsWith(`${major}.`) ? process.execPath : undefined,
      process.env[`NODE_${major}`],
      `${dir}node_modules/node-${major}-${os}/bin/node`,
    ];
    for (const program of candidates) {
      const version = program === undefined ? undefined : versionOf(program);
      if (version?.startsWith(`${major}.`)) return { major, version, program };
    }
    return {
      major,
      program: undefined,
      why: `no Node ${major} for ${os} here; set NODE_${major}=/path/to/node to include it`,
    };
  });
}
