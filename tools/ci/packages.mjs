import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
/** Those that are published, by their folder in packages/. */
export const packages = ["core", "sqs", "otel"];

/**
 * The package.json in a folder.
 *
 * @param {string} dir
 */
export function manifestOf(dir) {
  return JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
}
