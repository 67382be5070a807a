import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as otel from "./index.js";

test("exports these, and nothing else", () => {
  expect(Object.keys(otel).sort()).toMatchInlineSnapshot(`
    [
      "extractContext",
      "injectContext",
      "otel",
      "traceHandler",
      "traceIdOf",
      "tracedPublish",
      "uuidOf",
    ]
  `);
});

test("imports core, the API and node:crypto, and of all OpenTelemetry nothing else", () => {
  const source = new URL(".", import.meta.url);
  const files = readdirSync(source).filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  const imported = files.flatMap((file) => {
    const text = readFileSync(new URL(file, source), "utf8");
    return [...text.matchAll(/from "([^."][^"]*)"/g)].map(([, from]) => from);
  });
  expect(new Set(imported)).toEqual(
    new Set(["@babelqueue/core", "@opentelemetry/api", "node:crypto"]),
  );
});
