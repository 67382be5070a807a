import { expect, test } from "vitest";
import {
  acceptsSchemaVersion,
  InvalidEnvelopeError,
  SCHEMA_VERSION,
  UnsupportedSchemaVersionError,
} from "../index.js";
import { bodyText, deliveryOf, metaText, probe } from "./envelope.fixture.js";

test("the version is 1", () => {
  expect(SCHEMA_VERSION).toBe(1);
});

// docs/wire-contract.md §3
test.each([
  ["absent", undefined],
  ["null, as some clients say absent", null],
  ["empty", ""],
  ["a space", " "],
  ["a tab", "\t"],
  ["LF", "\n"],
  ["VT", "\v"],
  ["FF", "\f"],
  ["CR", "\r"],
  ["all of these", " \t\n\v\f\r"],
  ["1", "1"],
])("%s passes the gate", async (_, declared) => {
  expect(acceptsSchemaVersion(declared)).toBe(true);
  const { consume, handled } = probe();
  const delivery = deliveryOf({ declaredSchemaVersion: declared as string | undefined });
  await expect(consume(delivery)).resolves.toMatchObject({ kind: "ack" });
  expect(handled).toHaveLength(1);
});

test.each([
  "2",
  "x",
  "01",
  " 1",
  "1 ",
  "1\n",
  "1.0",
  "+1",
  "1e0",
  "true",
  "\u00A0",
  "\uFEFF",
  "\u2028",
  "１",
])("%j is refused, and the body not decoded", async (declared) => {
  expect(acceptsSchemaVersion(declared)).toBe(false);
  const { consume, handled, reported } = probe();
  // a body that would warn of a dropped key, were it decoded
  const body = bodyText({ timestamp: "1" });
  const { kind, envelope } = await consume(deliveryOf({ declaredSchemaVersion: declared, body }));
  expect({ kind, envelope }).toEqual({ kind: "leave", envelope: null });
  expect(handled).toEqual([]);
  expect(reported).toEqual([[expect.any(UnsupportedSchemaVersionError), null, expect.anything()]]);
  expect(reported[0]?.[0]).toMatchObject({ code: "unsupported_schema_version", declared });
});

test("a refused version is not decoded, so it warns of nothing", async () => {
  const warnings: unknown[] = [];
  const { consume } = probe({ onWarning: (warning) => warnings.push(warning) });
  await consume(deliveryOf({ declaredSchemaVersion: "2", body: bodyText({ timestamp: "1" }) }));
  expect(warnings).toEqual([]);
});

test("declaring 1 does not spare the body its own check", async () => {
  const { consume, handled, reported } = probe();
  const body = bodyText({ meta: metaText({ schema_version: "2" }) });
  const outcome = await consume(deliveryOf({ declaredSchemaVersion: "1", body }));
  expect(outcome).toMatchObject({ kind: "leave", envelope: null });
  expect(reported[0]?.[0]).toBeInstanceOf(InvalidEnvelopeError);
  expect(handled).toEqual([]);
});

test("the error shows a long version shortened, and holds it whole", () => {
  const error = new UnsupportedSchemaVersionError("9".repeat(1000));
  expect(error.message.length).toBeLessThan(300);
  expect(error.declared).toBe("9".repeat(1000));
});
