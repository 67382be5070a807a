import {
  acceptsSchemaVersion,
  createConsume,
  createEnvelope,
  type Delivery,
  type Envelope,
  encodeEnvelope,
  UnsupportedSchemaVersionError,
} from "@babelqueue/core";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { anyString } from "./json.arbitrary.js";
import { property } from "./property.js";

/** docs/wire-contract.md §3, by the letter. */
function isAccepted(declared: string | null | undefined): boolean {
  if (declared === undefined || declared === null || declared === "1") return true;
  return declared
    .split("")
    .every((char) => [0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d].includes(char.charCodeAt(0)));
}

const units = [
  ...[" ", "\t", "\n", "\v", "\f", "\r", "\u00A0", "\uFEFF", "\u0085", "\u2028", "\u3000", "\0"],
  ...["0", "1", "2", "x", ".", "+", "\uFF11", "\u0661"],
];
const anyDeclared: fc.Arbitrary<string | null | undefined> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: fc.constantFrom(...units), maxLength: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...units.slice(0, 6)) }) },
  { weight: 2, arbitrary: anyString },
  { weight: 1, arbitrary: fc.constantFrom(null, undefined, "1") },
);

const URN = "urn:babel:orders:created";
const body = encodeEnvelope(createEnvelope(URN, { n: 1 }));

describe("the gate", () => {
  property("the gate lets pass what the contract lets pass", [anyDeclared], (declared) => {
    expect(acceptsSchemaVersion(declared)).toBe(isAccepted(declared));
  });

  property(
    "no handler sees a gated message, and no hook its envelope",
    [anyDeclared, fc.constantFrom(body, "{", "{}", "")],
    async (declared, text) => {
      const handled: Envelope[] = [];
      const told: unknown[][] = [];
      const consume = createConsume(
        { handlerFor: () => (envelope: Envelope) => void handled.push(envelope) },
        { deadLetters: true, onError: (...call) => told.push(call) },
      );
      const delivery: Delivery<null> = {
        body: text,
        headers: {},
        declaredSchemaVersion: declared ?? undefined,
        system: "memory",
        queue: "orders",
        message: null,
        signal: new AbortController().signal,
      };
      const outcome = await consume(delivery);
      const { kind } = outcome;
      const isGated = !isAccepted(declared);
      expect(kind).toBe(!isGated && text === body ? "ack" : "dead-letter");
      expect(handled).toHaveLength(kind === "ack" ? 1 : 0);
      expect(told).toHaveLength(kind === "ack" ? 0 : 1);
      if (outcome.kind === "dead-letter") {
        expect(outcome.reason).toBe(isGated ? "gated" : "poison");
        expect(outcome.body === text).toBe(isGated);
      }
      for (const [error, envelope] of told) {
        expect(error instanceof UnsupportedSchemaVersionError).toBe(isGated);
        expect(envelope).toBeNull();
      }
    },
  );
});
