import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { bodyText, deliveryOf, URN } from "./envelope/envelope.fixture.js";
import * as core from "./index.js";

test("exports these, and nothing else", () => {
  expect(Object.keys(core).sort()).toMatchInlineSnapshot(`
    [
      "BabelQueueError",
      "InvalidArgumentError",
      "InvalidEnvelopeError",
      "InvalidPayloadError",
      "NotRememberedError",
      "PayloadRefusedError",
      "SCHEMA_VERSION",
      "SOURCE_LANG",
      "UnknownUrnError",
      "UnknownUrnStrategy",
      "UnsupportedSchemaVersionError",
      "UrnRouter",
      "acceptsSchemaVersion",
      "amendEnvelope",
      "createConsume",
      "createEnvelope",
      "createReporter",
      "decodeEnvelope",
      "defineMessage",
      "encodeEnvelope",
      "exponentialBackoff",
      "idempotent",
      "identityOf",
      "memoryStore",
      "prepareEnvelope",
    ]
  `);
});

const SOURCE = new URL(".", import.meta.url);

test("core imports only its own files", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/\.(test|test-d|fixture)\.ts$|^testing\//.test(file),
  );
  const imported = files.flatMap((file) => {
    const text = readFileSync(new URL(file, SOURCE), "utf8");
    return [...text.matchAll(/(?:from|import|import\() ?"([^"]+)"/g)].map(([, from]) => from);
  });
  expect(imported.length).toBeGreaterThan(20);
  expect(imported.filter((from) => !from?.startsWith("."))).toEqual([]);
});

const NODE_GLOBALS = ["process", "Buffer", "global", "setImmediate", "clearImmediate"];
const restore: (() => void)[] = [];
afterEach(() => {
  for (const undo of restore.splice(0)) undo();
});

/** Hides what only Node has from the files of core, and from nobody else; returns what they ask for. */
function hideNodeFromCore(): string[] {
  const asked: string[] = [];
  for (const name of NODE_GLOBALS) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
    const value: unknown = Reflect.get(globalThis, name);
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        const [, , caller = ""] = new Error("who asks?").stack?.split("\n") ?? [];
        if (!caller.includes(SOURCE.pathname) || caller.includes(".test.ts")) return value;
        asked.push(name);
        return undefined;
      },
    });
    restore.push(() => Object.defineProperty(globalThis, name, before));
  }
  return asked;
}

test("core asks for no Node global when it is imported, and works without any", async () => {
  vi.resetModules();
  const asked = hideNodeFromCore();
  const { createConsume, createEnvelope, encodeEnvelope, UrnRouter } = await import("./index.js");
  expect(asked).toEqual([]);

  const seen: unknown[] = [];
  const router = new UrnRouter().on(URN, ({ data }) => {
    seen.push(data);
    throw new Error("for the fallback of a missing onError");
  });
  const body = encodeEnvelope(createEnvelope(URN, { id: 2n ** 64n }));
  const outcome = await createConsume(router, { deadLetters: false })(deliveryOf({ body }));
  expect(outcome).toMatchObject({ kind: "release", delaySeconds: 0 });
  expect(seen).toEqual([{ id: 2n ** 64n }]);
  // the fallback looks for a process, and does without
  expect(new Set(asked)).toEqual(new Set(["process"]));
});

test("the watch does see core", async () => {
  const asked = hideNodeFromCore();
  core.decodeEnvelope(bodyText({ timestamp: "1" }));
  expect(asked).toEqual(["process"]);
});
