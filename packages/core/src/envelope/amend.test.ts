import { describe, expect, test } from "vitest";
import { amendEnvelope, decodeEnvelope, InvalidEnvelopeError } from "../index.js";
import { amendCase, withoutGaps } from "./amend.fixture.js";
import { BLOCK, bodyText, failureOf, metaText, nestedText, observe } from "./envelope.fixture.js";

const BLOCK_TEXT =
  '{"reason":"unknown_urn","error":null,"exception":null,"failed_at":1749132727000,' +
  '"original_queue":"orders","attempts":3,"lang":"node"}';

function spaced(attempts: string): string {
  return ` \n${bodyText({ attempts }).replaceAll(",", " ,\r\n").replaceAll('":', '"\t: ')} \n`;
}

// docs/wire-contract.md §1, "what was received is passed on byte for byte"
describe("amendEnvelope", () => {
  test.each([
    ["nothing", bodyText(), {}, bodyText()],
    ["attempts", bodyText(), { attempts: 3 }, bodyText({ attempts: "3" })],
    ["attempts to 0", bodyText({ attempts: "3" }), { attempts: 0 }, bodyText()],
    [
      "attempts spelled with an escape",
      bodyText({ attempts: undefined, "\\u0061ttempts": "1.0" }),
      { attempts: 3 },
      bodyText({ attempts: undefined, "\\u0061ttempts": "3" }),
    ],
    [
      "each of duplicate attempts",
      bodyText({ attempts: '"x" , "attempts" : 1' }),
      { attempts: 3 },
      bodyText({ attempts: '3 , "attempts" : 3' }),
    ],
    ["a new block", bodyText(), { deadLetter: BLOCK }, bodyText({ dead_letter: BLOCK_TEXT })],
    [
      "a block that was there",
      bodyText({ dead_letter: '{"reason":"failed"}', future: "1" }),
      { deadLetter: BLOCK },
      bodyText({ dead_letter: BLOCK_TEXT, future: "1" }),
    ],
    [
      "each of duplicate blocks",
      bodyText({ dead_letter: 'null,"dead_letter":1' }),
      { deadLetter: BLOCK },
      bodyText({ dead_letter: `${BLOCK_TEXT},"dead_letter":${BLOCK_TEXT}` }),
    ],
    ["a block away", bodyText({ dead_letter: "{}" }), { deadLetter: null }, bodyText()],
    ["a block away that is not there", bodyText(), { deadLetter: null }, bodyText()],
    ["no block unasked", bodyText({ dead_letter: "1" }), {}, bodyText({ dead_letter: "1" })],
    [
      "attempts and block",
      bodyText(),
      { attempts: 3, deadLetter: BLOCK },
      bodyText({ attempts: "3", dead_letter: BLOCK_TEXT }),
    ],
    [
      "attempts that are missing",
      bodyText({ attempts: undefined }),
      { attempts: 3 },
      bodyText({ attempts: "3" }),
    ],
    [
      "attempts that are null",
      bodyText({ attempts: "null" }),
      { attempts: 3 },
      bodyText({ attempts: "3" }),
    ],
    [
      "no attempts unasked",
      bodyText({ attempts: undefined }),
      {},
      bodyText({ attempts: undefined }),
    ],
    [
      "missing attempts, and a block behind them",
      bodyText({ attempts: undefined }),
      { attempts: 3, deadLetter: BLOCK },
      bodyText({ attempts: "3", dead_letter: BLOCK_TEXT }),
    ],
    ["an alias away beside a job", bodyText({ urn: '"urn:other"' }), {}, bodyText()],
    [
      "an alias into a job",
      ` { "\\u0075rn" : " u ", ${bodyText({ job: undefined }).slice(1)}`,
      {},
      ` { "job" : " u ", ${bodyText({ job: undefined }).slice(1)}`,
    ],
    [
      "an alias into a job, in the place of one that is none",
      bodyText({ job: '7,"job":" "', urn: '"u"' }),
      {},
      `${bodyText({ job: undefined }).slice(0, -1)},"job":"u"}`,
    ],
    [
      "each of duplicate aliases",
      bodyText({ job: undefined, urn: '5, "urn":"u"' }),
      {},
      `${bodyText({ job: undefined }).slice(0, -1)},"job":5, "job":"u"}`,
    ],
    [
      "no alias where the last of duplicate jobs counts",
      bodyText({ job: '5,"job":"j"', urn: '"u"' }),
      {},
      bodyText({ job: '5,"job":"j"' }),
    ],
    [
      "attempts only at the top level",
      bodyText({ data: '{"attempts":9}', x: '{"attempts":9}' }),
      { attempts: 3 },
      bodyText({ data: '{"attempts":9}', attempts: "3", x: '{"attempts":9}' }),
    ],
  ])("edits %s", (_, received, amendment, expected) => {
    expect(amendEnvelope(received, amendment)).toBe(expected);
  });

  test("writes the block in the order of the contract, whatever order it is held in", () => {
    const { reason, ...rest } = BLOCK;
    const jumbled = { ...rest, reason, extra: 1 };
    expect(amendEnvelope(bodyText(), { deadLetter: jumbled })).toBe(
      bodyText({ dead_letter: BLOCK_TEXT }),
    );
  });

  test("writes null where a block has no error, and escapes what no broker carries", () => {
    const { exception: _, ...odd } = { ...BLOCK, error: "\uFFFE\uFFFF\uD800 ☕" };
    expect(amendEnvelope(bodyText(), { deadLetter: odd as never })).toContain(
      '"error":"\\ufffe\\uffff\\ud800 ☕","exception":null,',
    );
  });

  const T = '"timestamp":{"a":[1,"}"]}';
  const body = bodyText();
  test.each([
    ["first", body.replace("{", `{${T},`)],
    ["in the middle", body.replace('"data"', `${T},"data"`)],
    ["last", body.replace(/\}$/, `,${T}}`)],
    ["first and second", body.replace("{", `{${T},${T},`)],
    ["last and second to last", body.replace(/\}$/, `,${T},${T}}`)],
    [
      "everywhere",
      body.replace(/"(job|trace_id|data|meta|attempts)":/g, `${T},$&`).replace(/\}$/, `,${T}}`),
    ],
    ["spelled with an escape", body.replace("{", '{"timest\\u0061mp":1,')],
  ])("removes a timestamp: %s", (_, received) => {
    expect(amendEnvelope(received, {})).toBe(body);
    expect(amendEnvelope(received, { attempts: 3, deadLetter: BLOCK })).toBe(
      bodyText({ attempts: "3", dead_letter: BLOCK_TEXT }),
    );
  });

  const all = '"max_retries":3,"attempts":[1],"source":"a}","ts":{}';
  test.each([
    ["first", metaText().replace("{", `{${all},`), metaText()],
    ["in the middle", metaText().replace('"lang"', `${all},"lang"`), metaText()],
    ["last", metaText().replace(/\}$/, `,${all}}`), metaText()],
    [
      "nothing else, in a duplicate",
      `{ ${all} },"meta":${metaText()}`,
      `{  },"meta":${metaText()}`,
    ],
    ["in each duplicate", `{${all}},"meta":${metaText({ ts: "1" })}`, `{},"meta":${metaText()}`],
    [
      "beside a duplicate that is no object",
      `[${all.replaceAll(":", ",")}],"meta":${metaText({ ts: "1" })}`,
      `[${all.replaceAll(":", ",")}],"meta":${metaText()}`,
    ],
  ])("removes the four keys of meta: %s", (_, meta, expected) => {
    const amended = amendEnvelope(bodyText({ meta }), { attempts: 3 });
    expect(amended.replaceAll(" ", "")).toBe(
      bodyText({ meta: expected, attempts: "3" }).replaceAll(" ", ""),
    );
  });

  test("keeps white space where it is", () => {
    expect(amendEnvelope(spaced("0"), { attempts: 3 })).toBe(spaced("3"));
  });

  test("handles data 10 000 levels deep, and a string of 1 MiB of escaped quotes", () => {
    const data = `{"deep":${nestedText(10_000)},"long":"${'\\"'.repeat(1 << 19)}"}`;
    expect(amendEnvelope(bodyText({ data }), { attempts: 3 })).toBe(
      bodyText({ data, attempts: "3" }),
    );
  });

  test.each([-1, 1.5, NaN, 2 ** 53, "1"])("refuses attempts of %j", (attempts) => {
    const error = failureOf(() => amendEnvelope(bodyText(), { attempts: attempts as number }));
    expect(error).toMatchObject({ code: "invalid_envelope", reason: "invalid_attempts" });
  });

  test.each(["", "[]", bodyText({ data: "[]" })])(
    "refuses %j, which is no envelope",
    (received) => {
      expect(failureOf(() => amendEnvelope(received, {}))).toBeInstanceOf(InvalidEnvelopeError);
    },
  );

  test("warns of nothing: the decode before it did", async () => {
    const { warnings } = await observe(() => amendEnvelope(bodyText({ timestamp: "1" }), {}));
    expect(warnings).toEqual([]);
  });
});

describe("for 1000 random envelopes", () => {
  const silent = { onWarning: () => undefined };
  const cases = Array.from({ length: 1000 }, (_, seed) => ({ seed, ...amendCase(seed) }));

  test("everything that is not edited stays byte for byte", () => {
    for (const { seed, received, amendment, expected, expectedWithGaps } of cases) {
      const amended = amendEnvelope(received, amendment);
      expect(withoutGaps(amended), `seed ${seed}`).toBe(expected);
      expect(expectedWithGaps ?? amended, `seed ${seed}`).toBe(amended);
    }
    expect(cases.filter((each) => each.expectedWithGaps !== null).length).toBeGreaterThan(10);
  });

  test("the result decodes to the amended envelope", () => {
    for (const { seed, received, amendment } of cases) {
      const decoded = decodeEnvelope(amendEnvelope(received, amendment));
      const { dead_letter: _, ...plain } = decodeEnvelope(received, silent);
      const before = amendment.deadLetter === undefined ? decodeEnvelope(received, silent) : plain;
      const expected = {
        ...before,
        ...(amendment.attempts === undefined ? {} : { attempts: amendment.attempts }),
        ...(amendment.deadLetter ? { dead_letter: amendment.deadLetter } : {}),
      };
      expect(decoded, `seed ${seed}`).toEqual(expected);
    }
  });

  test("amending twice is amending once", () => {
    for (const { seed, received, amendment } of cases) {
      const once = amendEnvelope(received, amendment);
      expect(amendEnvelope(once, amendment), `seed ${seed}`).toBe(once);
    }
  });
});
