import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

// the whole of it, built, on the built packages: `pnpm test` builds them first
test("a short soak with faults, kills and stops loses nothing", { timeout: 180_000 }, async () => {
  const main = fileURLToPath(new URL("../dist/main.mjs", import.meta.url));
  const args = ["--messages", "3000", "--fifo", "1000", "--faults", "--seed", "2"];
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args]).catch(
    (error: { stdout: string }) => error,
  );

  expect(stdout).toContain("published   3000 confirmed");
  expect(stdout).toMatch(/[1-9]\d* × SIGKILL, [1-9]\d* × SIGTERM/);
  expect(stdout).toContain("verdict     PASS");
});
