import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { buildApp } from "fauxqs";
import { expect, onTestFinished, test } from "vitest";

interface Run {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

const program = fileURLToPath(new URL("demo.mjs", import.meta.url));

/** Runs the demo as a user does, on the built packages. */
function demo(...args: string[]): Promise<Run> {
  const { FORCE_COLOR: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

const LINES = [
  "✓ 4 orders published together, 4 handled",
  "✓ the handler saw attempts 0, 1, 2",
  "✓ its dead_letter block says why",
  "✓ all else in it is byte for byte what came: 99.90 is 99.90",
  "✓ a poison body is in the dead-letter queue, as text beside a block",
  "✓ its block says why, and shows nothing of it",
  "✓ its attribute says the same",
  "✓ a message of version 2 is in the dead-letter queue, verbatim",
  "✓ its attribute says why",
  "✓ the handler got a Date",
  "✓ a payload that does not fit is never sent",
  "✓ it is in the dead-letter queue",
  "✓ both groups were booked in the order 1, 2, 3, 4",
  "✓ every message received is accounted for",
];

test("runs on the embedded server, and ends by itself", { timeout: 60_000 }, async () => {
  const { code, stdout, stderr } = await demo();
  expect(stderr).toBe("");
  expect(stdout.split("\n").map((line) => line.trim())).toEqual(expect.arrayContaining(LINES));
  expect(stdout).toMatch(/attempts 0, .*\n.*attempts 1, .*\n.*attempts 2/);
  expect(stdout).toMatch(/All went as promised, in [\d.]+ s\.\s+$/);
  expect(stdout.includes("\u001B"), "colour goes to terminals only").toBe(false);
  expect(code).toBe(0);
});

test("runs on another endpoint, and leaves no queue behind", { timeout: 60_000 }, async () => {
  const app = buildApp({ logger: false });
  onTestFinished(() => app.close());
  const endpoint = await app.listen({ port: 0, host: "127.0.0.1" });
  const { code, stdout, stderr } = await demo("--endpoint", endpoint, "--region", "eu-central-1");
  expect(stderr).toBe("");
  expect(stdout).toContain(`SQS at ${endpoint}`);
  expect(stdout.split("\n").map((line) => line.trim())).toEqual(expect.arrayContaining(LINES));
  expect(code).toBe(0);

  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new SQSClient({ endpoint, region: "eu-central-1", credentials });
  onTestFinished(() => client.destroy());
  expect((await client.send(new ListQueuesCommand())).QueueUrls ?? []).toEqual([]);
});

test("says so when something that it promises does not happen", { timeout: 60_000 }, async () => {
  const app = buildApp({ logger: false });
  onTestFinished(() => app.close());
  // a server that loses the reason of a dead letter
  app.addHook("onSend", async (_request, _reply, payload) =>
    typeof payload === "string" ? payload.replaceAll('"gated"', '"lost"') : payload,
  );
  const endpoint = await app.listen({ port: 0, host: "127.0.0.1" });
  const { code, stdout, stderr } = await demo("--endpoint", endpoint);
  expect(stderr.trim()).toBe("✗ This was expected and did not happen: its attribute says why");
  expect(stdout).not.toContain("All went as promised");
  expect(code).toBe(1);
});

test.each([
  ["an endpoint that nobody listens at", ["--endpoint", "http://127.0.0.1:1"], "ECONNREFUSED"],
  ["an endpoint that is no URL", ["--endpoint", "nonsense"], "Invalid URL"],
  ["an unknown option", ["--endpiont", "x"], "--endpiont"],
])("says in one line why it cannot go on: %s", async (_, args, reason) => {
  const { code, stderr } = await demo(...args);
  expect(stderr.trim().split("\n")).toEqual([expect.stringContaining(reason)]);
  expect(stderr).toMatch(/^\s+✗ /);
  expect(code).toBe(1);
});
