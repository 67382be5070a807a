import {
  amendEnvelope,
  decodeEnvelope,
  encodeEnvelope,
  InvalidEnvelopeError,
  type JsonValue,
} from "@babelqueue/core";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { decodedOf } from "./decoded.js";
import { anyEnvelope, anyEnvelopeText, rawValueOf, textOfEnvelope } from "./envelope.arbitrary.js";
import { anyString, asDecoded, canonical } from "./json.arbitrary.js";
import { property } from "./property.js";
import { anyText } from "./text.arbitrary.js";

/** What SQS and XML carry. */
const CARRIED = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;
const quiet = { onWarning: () => undefined };

/** The decoded envelope, or null where it is refused as it may be; anything else thrown fails. */
function decode(body: string, largeIntegers?: "bigint" | "number"): object | null {
  try {
    return decodeEnvelope(body, { ...quiet, largeIntegers });
  } catch (error) {
    if (error instanceof InvalidEnvelopeError) return null;
    throw error;
  }
}

describe("the codec", () => {
  property("encode and decode are each other's inverse", [anyEnvelope], (envelope) => {
    const body = encodeEnvelope(envelope);
    expect(body).toMatch(CARRIED);
    const decoded = decodeEnvelope(body, quiet);
    expect(canonical(decoded)).toBe(canonical(asDecoded(envelope as unknown as JsonValue)));
    expect(encodeEnvelope(decoded)).toBe(body);
  });

  const nested = fc
    .tuple(fc.constantFrom("[", '{"a":', '{"data":'), fc.nat(200_000))
    .map(([opening, depth]) => opening.repeat(depth));
  property(
    "decode refuses any text with an InvalidEnvelopeError or takes it",
    [
      fc.oneof(
        { weight: 20, arbitrary: anyString },
        { weight: 20, arbitrary: fc.string({ unit: "binary" }) },
        { weight: 20, arbitrary: fc.json() },
        { weight: 20, arbitrary: anyText.map(({ text }) => text) },
        { weight: 1, arbitrary: nested },
      ),
      fc.constantFrom<["bigint", "number"]>("bigint", "number"),
    ],
    (body, largeIntegers) => {
      decode(body, largeIntegers);
    },
  );

  const mutation = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat(12),
    put: fc.oneof(
      anyString,
      fc.constantFrom("null", "[]", "{}", '""', "-1", "1e400", "0.5", ",", "}", "\\", '"'),
    ),
  });
  property(
    "decode refuses a mutated envelope with an InvalidEnvelopeError or takes it",
    [anyEnvelopeText.map(textOfEnvelope), fc.array(mutation, { minLength: 1, maxLength: 3 })],
    (body, mutations) => {
      const mutated = mutations.reduce((text, { at, removed, put }) => {
        const start = Math.floor(at * text.length);
        return text.slice(0, start) + put + text.slice(start + removed);
      }, body);
      const decoded = decode(mutated);
      if (decoded === null) return;
      // what is taken can be passed on
      expect(canonical(decode(amendEnvelope(mutated, {})))).toBe(canonical(decoded));
    },
  );

  property(
    "decode reads what JSON.parse reads, and large integers exactly",
    [anyEnvelopeText],
    (envelope) => {
      const body = textOfEnvelope(envelope);
      expect(canonical(decode(body))).toBe(canonical(decodedOf(rawValueOf(envelope))));
      const parsed = JSON.parse(body) as Parameters<typeof decodedOf>[0];
      expect(canonical(decode(body, "number"))).toBe(canonical(decodedOf(parsed)));
    },
  );
});
