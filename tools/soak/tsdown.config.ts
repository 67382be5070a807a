import { defineConfig } from "tsdown";

// the fake is TypeScript, and Node 20 runs none
export default defineConfig({
  entry: { "fake-sqs": "../fake-sqs/src/index.ts" },
  format: ["esm"],
  platform: "node",
  fixedExtension: true,
  target: "node20.19",
  dts: false,
});
