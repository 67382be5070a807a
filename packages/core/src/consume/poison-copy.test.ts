import { describe, expect, test } from "vitest";
import { bodyText, deliveryOf, probe } from "../envelope/envelope.fixture.js";
import type { DeadLetter, DeadLetterWrite } from "../index.js";

/** What is written to the dead-letter queue of a body that is refused. */
async function copyOf(body: string): Promise<string> {
  const { consume } = probe({ deadLetters: true, onError: () => undefined });
  const outcome = (await consume(deliveryOf({ body, redeliveries: 4 }))) as DeadLetterWrite;
  expect(outcome).toMatchObject({ kind: "dead-letter", envelope: null, reason: "poison" });
  return outcome.body;
}

const BLOCK = /,?"dead_letter":(\{"reason":"poison",.*?"lang":"node"\})/;

function blockOf(copy: string): DeadLetter {
  return JSON.parse(BLOCK.exec(copy)?.[1] ?? "null") as DeadLetter;
}

describe("a refused body that is a JSON object gains the block, and keeps every other byte", () => {
  test.each([
    ["nothing in it", "{ }"],
    ["white space around it", ' \r\n{"a" : 1.50}\n\t'],
    ["a forbidden key", '{"timestamp":1,"meta":{"ts":2}}'],
    ["an alias and attempts of any kind", '{"urn":5,"attempts":[ ]}'],
    ["duplicate keys", '{"job":5,"job":6}'],
    ["numbers that no double holds", '{"n":[1e400,-1e-400,12345678901234567890]}'],
    ["a dead_letter that is not its own", '{"data":{"dead_letter":1}}'],
    ["a surrogate pair in escapes", '{"a":"\\ud83d\\ude00"}'],
    ["a raw surrogate pair", '{"a":"😀"}'],
    ["a backslash before the letters of an escape", '{"a":"\\\\ud800"}'],
    ["deep nesting", `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
  ])("with %s", async (_, body) => {
    const copy = await copyOf(body);
    expect(copy.replace(BLOCK, "")).toBe(body);
    expect(copy.slice(0, copy.indexOf('"dead_letter":{"reason"'))).toMatch(
      body === "{ }" ? /^\{$/ : /,$/,
    );
    expect(blockOf(copy)).toMatchObject({
      reason: "poison",
      original_queue: "orders",
      attempts: 4,
    });
  });
});

describe("any other refused body goes into raw, as text", () => {
  test.each([
    ["nothing", ""],
    ["control characters", "a\u0000\u001F\uFFFE\uFFFF"],
    ["an array", "[1]"],
    ["a text", '"x"'],
    ["trailing data", "{} {}"],
    ["a BOM", '\uFEFF{"a":1}'],
    ["NaN", '{"a":NaN}'],
    ["a block of its own", '{"a":1,"dead_letter":null}'],
    ["a block of its own, its key escaped", '{"dead\\u005fletter":1}'],
    ["half a surrogate pair, first", '{"a":"\\uD800x"}'],
    ["half a surrogate pair, second", '{"a":"\\\\\\udc00"}'],
    ["two first halves", '{"a":"\\ud83d\\ud83d\\ude00"}'],
    ["half a surrogate pair in a key", '{"\\udfff":1}'],
    ["half a raw surrogate pair", '{"a":"\uD800"}'],
    ["a million escapes that are not JSON", `{"a":"${"\\n".repeat(1_000_000)}`],
  ])("%s", async (_, body) => {
    const copy = await copyOf(body);
    const { raw, dead_letter, ...rest } = JSON.parse(copy) as Record<string, unknown>;
    expect({ raw: raw === body, rest }).toEqual({ raw: true, rest: {} });
    expect(dead_letter).toMatchObject({ reason: "poison", attempts: 4, exception: null });
    expect(copy).not.toMatch(/[\u0000-\u001F\uFFFE\uFFFF]/);
  });
});

test("the block says why, and shows nothing of the body", async () => {
  const copy = await copyOf(bodyText({ data: '"secret-1"', attempts: '"secret-2"' }));
  expect(blockOf(copy).error).toBe(
    'Not a BabelQueue envelope: "data" must be an object, and is a string.',
  );
});
