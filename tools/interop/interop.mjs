// `pnpm interop`: the published SDKs of other languages against these packages, on several SQS servers.
// `--write` keeps the versions tried and where the servers differ in README.md.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { replaceSection } from "./src/markdown.mjs";
import { README } from "./src/paths.mjs";
import { peers as allPeers } from "./src/peers.mjs";
import { byteTable, matrix, serverTable, watched } from "./src/report.mjs";
import { OUR_ROW, rowsOf, runServer } from "./src/run.mjs";
import { servers as allServers } from "./src/servers.mjs";
import { prepareAll } from "./src/unavailable.mjs";
import { worksWith } from "./src/works-with.mjs";

/** All of its steps have a limit; this is for their sum. */
const LIMIT_MS = 600_000;
// of no use here, and noise in a log
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] = "true";
// with the process end its children, which is what each listens for
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.setMaxListeners(100);
setTimeout(() => {
  console.log(`no end within ${LIMIT_MS / 1000} s\n0 passed, 1 failed, 0 skipped`);
  process.exit(1);
}, LIMIT_MS).unref();

const { values: options } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const tally = { passed: 0, failed: 0, skipped: 0 };

const [servers, peers] = await Promise.all([prepareAll(allServers), prepareAll(allPeers)]);
for (const { name, why } of [...servers.missing, ...peers.missing]) {
  console.log(`${name}: left out (${why})`);
  tally.skipped += 1;
}
for (const { name, why } of [...servers.broken, ...peers.broken]) {
  console.log(`${name}: FAILED (${why})`);
  tally.failed += 1;
}
if (peers.ready.length === 0) {
  console.log("no peer could be had, so nothing was proven");
  tally.failed += 1;
}

const runs = await Promise.allSettled(
  servers.ready.map((server) => runServer(server, peers.ready)),
);
/** @type {import("./src/run.mjs").Column[]} */
const columns = [];
for (const [index, run] of runs.entries()) {
  if (run.status === "fulfilled") {
    columns.push(run.value);
    continue;
  }
  console.log(`${servers.ready[index]?.name}: FAILED (${String(run.reason)})`);
  tally.failed += 1;
}
for (const { cells } of columns) {
  for (const checks of cells.values()) {
    tally.passed += checks.count("passed");
    tally.failed += checks.count("failed");
    tally.skipped += checks.count("known");
  }
}

const rows = [...peers.ready.flatMap(({ name }) => rowsOf(name)), OUR_ROW];
console.log(`\n${matrix(rows, columns)}\n`);
console.log("What becomes of messages that no handler may get:\n");
for (const { name } of peers.ready) console.log(`${watched(name, columns)}\n`);
console.log(`Written in other bytes:\n\n${byteTable(peers.ready, columns[0]?.bytes ?? [])}\n`);
console.log(`Where servers differ from AWS:\n\n${serverTable(columns)}\n`);
const works = worksWith(peers.ready, columns, new Date());
console.log(`Works with:\n\n${works}\n`);

if (options.write) {
  if (tally.failed > 0) {
    console.log("README.md is left as it was, for the run has failed");
  } else {
    const readme = await readFile(README, "utf8");
    const withVersions = replaceSection(readme, "works with", works);
    await writeFile(README, replaceSection(withVersions, "servers", serverTable(columns)));
  }
}
console.log(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`);
process.exitCode = tally.failed === 0 ? 0 : 1;
