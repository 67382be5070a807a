import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const dir = fileURLToPath(new URL("../nodes/", import.meta.url));
export const majors = [20, 22, 24, 26];
const [running = ""] = process.versions.node.split(".");
/** The supported majors apart from the one that runs this script. */
export const otherMajors = majors.filter((major) => String(major) !== running);

const os = `${process.platform}-${process.arch}`;

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

/** @param {number} major */
function pinned(major) {
  return `${dir}node_modules/node-${major}-${os}/bin/node`;
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
 * One entry for each of these majors: the running Node where it is of that major, else $NODE_<major>,
 * else the binary pinned in tools/nodes. `program` is undefined where none runs on this machine.
 */
export function nodeVersions(wanted = majors) {
  const isMissing = wanted.some((major) => {
    return otherMajors.includes(major) && !existsSync(pinned(major));
  });
  const isPinned = os === "linux-x64" || os === "linux-arm64";
  if (isPinned && isMissing) {
    spawnSync("npm", ["ci", "--prefix", dir], { cwd: dir, env: npmEnv(), stdio: ["ignore", 2, 2] });
  }
  return wanted.map((major) => {
    const candidates = [
      otherMajors.includes(major) ? undefined : process.execPath,
      process.env[`NODE_${major}`],
      pinned(major),
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
