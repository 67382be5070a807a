import { defineConfig } from "tsdown";
import { base } from "../../tools/config/tsdown.base.ts";

// neutral: core runs wherever JavaScript runs
export default defineConfig({
  ...base,
  platform: "neutral",
  entry: { index: "src/index.ts", testing: "src/testing/index.ts", transport: "src/transport.ts" },
});
