import { createConsume, type Delivery, type JsonValue, type Outcome } from "@babelqueue/core";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { anyEnvelopeText, textOfEnvelope } from "./envelope.arbitrary.js";
import { anyString } from "./json.arbitrary.js";
import { property } from "./property.js";
import { anyObjectText, anyText } from "./text.arbitrary.js";

const anyBody = fc.oneof(
  anyString,
  fc.json(),
  anyText.map(({ text }) => text),
  anyObjectText.map(({ text }) => text),
  fc.tuple(anyString, anyObjectText).map(([around, { text }]) => around + text),
  anyObjectText.map(({ text }) => ` \r\n${text}\t`),
  anyEnvelopeText.map((envelope) => textOfEnvelope(envelope).replaceAll("trace_id", "dead_letter")),
  anyEnvelopeText.map((envelope) => textOfEnvelope(envelope).replaceAll("trace_id", "trace")),
);

/** What JSON.parse makes of it; undefined where it is no JSON. */
function parse(body: string): JsonValue | undefined {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Every string of the text, keys and values that a duplicate hides included. */
function isWellFormed(body: string): boolean {
  const strings = body.match(/"(?:[^"\\]|\\.)*"/gs) ?? [];
  return strings.every((text) => !/\p{Surrogate}/u.test(JSON.parse(text) as string));
}

/** May a block stand among its members? (docs/wire-contract.md §4) */
function isSpliced(body: string): boolean {
  const parsed = parse(body);
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return isObject && !Object.hasOwn(parsed, "dead_letter") && isWellFormed(body);
}

function copyOf(body: string): Promise<Outcome> {
  const consume = createConsume(
    { handlerFor: () => () => undefined },
    { deadLetters: true, onError: () => undefined, onWarning: () => undefined },
  );
  const delivery: Delivery<null> = {
    body,
    headers: {},
    system: "memory",
    queue: "orders",
    redeliveries: 3,
    message: null,
    signal: new AbortController().signal,
  };
  return consume(delivery);
}

describe("poison", () => {
  property("a copy holds the whole body, and one block that says why", [anyBody], async (body) => {
    const outcome = await copyOf(body);
    if (outcome.kind !== "dead-letter") return;
    expect(outcome.reason).toBe("poison");
    const block = (JSON.parse(outcome.body) as { dead_letter: object }).dead_letter;
    expect(block).toEqual({
      reason: "poison",
      error: outcome.error?.message,
      exception: null,
      failed_at: expect.any(Number),
      original_queue: "orders",
      attempts: 3,
      lang: "node",
    });
    const member = `"dead_letter":${JSON.stringify(block)}`;
    const at = outcome.body.lastIndexOf(member);
    const before = outcome.body.slice(0, at);
    const after = outcome.body.slice(at + member.length);
    if (isSpliced(body)) {
      expect(before.replace(/,$/, "") + after).toBe(body);
    } else {
      expect(JSON.parse(`${before.slice(0, -1)}${after}`)).toEqual({ raw: body });
      // no broker carries them; where the object was received, its own bytes stay
      expect(outcome.body).not.toMatch(/[\uFFFE\uFFFF]|\p{Surrogate}/u);
    }
  });
});
