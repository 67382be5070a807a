import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { transportCases } from "./index.js";
import { openMemory } from "./memory.fixture.js";

/** Hooks that fail become process warnings, which are for users to read and not for this test. */
const listeners = process.listeners("warning");
beforeAll(() => void process.removeAllListeners("warning"));
afterAll(() => {
  for (const listener of listeners) process.on("warning", listener);
});

const all = { headers: true, delay: true, fifo: true, publisher: true };

describe("the memory transport", () => {
  test.each(transportCases(openMemory, all))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

test("cases that need more than the transport can do are left out", () => {
  const least = transportCases(openMemory);
  const most = transportCases(openMemory, all);
  expect(least.length).toBeGreaterThan(20);
  expect(most.length - least.length).toBeGreaterThan(8);
  expect(new Set(most.map(({ name }) => name)).size).toBe(most.length);
});
