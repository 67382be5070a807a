import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { root } from "../ci/packages.mjs";
import { check } from "../ci/report.mjs";
import { runToPrint } from "../ci/run.mjs";

/** The good record is handled; the bad one is reported, released, and named in the answer. */
const expected = `shipped 1042
m-2: RangeError: Order 1043 is empty
ChangeMessageVisibilityCommand
{"batchItemFailures":[{"itemIdentifier":"m-2"}]}`;

/**
 * Bundles a function for Lambda from what npm installed in a project, and invokes it.
 *
 * @param {import("./project.mjs").Project} project
 */
export function checkLambda({ dir, manager }) {
  const lambda = join(dir, "lambda");
  cpSync(join(root, "tools/consumer/templates/lambda"), lambda, { recursive: true });
  for (const [format, file] of /** @type {const} */ ([
    ["cjs", "bundle.cjs"],
    ["esm", "bundle.mjs"],
  ])) {
    const outfile = join(lambda, file);
    check(`Lambda bundle, ${format}`, () => {
      buildSync({
        entryPoints: [join(lambda, "handler.mjs")],
        bundle: true,
        minify: true,
        platform: "node",
        format,
        target: "node20",
        // the runtime has it
        external: ["@aws-sdk/*"],
        outfile,
      });
      runToPrint([...manager.node, "invoke.mjs", file], lambda, expected, manager.env);
      const contents = readFileSync(outfile);
      return `${kilobytes(contents)}, ${kilobytes(gzipSync(contents))} gzipped`;
    });
  }
}

/** @param {Uint8Array} bytes */
function kilobytes({ length }) {
  return `${(length / 1000).toFixed(1)} kB`;
}
