import type { UserConfig } from "tsdown";

/** What every package is built with; a package with more entries, or for more than Node, says so. */
export const base: UserConfig = {
  entry: ["src/index.ts"],
  format: ["esm", "cjs"],
  platform: "node",
  // .mjs and .cjs whatever the platform is
  fixedExtension: true,
  target: "node20.19",
  dts: true,
  sourcemap: true,
  checks: { legacyCjs: false },
};
