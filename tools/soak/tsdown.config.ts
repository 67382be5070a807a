import { defineConfig } from "tsdown";

// the processes of a soak, each started by its file; the fake is built into the server, for it is
// TypeScript, and Node 20 runs none
export default defineConfig({
  entry: ["src/main.ts", "src/server.ts", "src/producer.ts", "src/consumer.ts"],
  format: ["esm"],
  platform: "node",
  fixedExtension: true,
  target: "node20.19",
  sourcemap: true,
  dts: false,
});
