import { defineConfig } from "tsdown";
import { base } from "../../tsdown.base.ts";

// neutral: core runs wherever JavaScript runs
export default defineConfig({
  ...base,
  platform: "neutral",
  entry: { index: "src/index.ts", testing: "src/testing/index.ts" },
});
