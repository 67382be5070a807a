import {
  type Amendment,
  amendEnvelope,
  type DeadLetter,
  decodeEnvelope,
  InvalidEnvelopeError,
} from "@babelqueue/core";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { decodedOf } from "./decoded.js";
import {
  anyBlock,
  anyEnvelopeText,
  type EnvelopeText,
  FORBIDDEN,
  FORBIDDEN_META,
  rawValueOf,
  textOfEnvelope,
} from "./envelope.arbitrary.js";
import { canonical, isBlank } from "./json.arbitrary.js";
import { property } from "./property.js";
import { type MemberText, textOf } from "./text.arbitrary.js";

const anyAmendment: fc.Arbitrary<Amendment> = fc.record(
  {
    attempts: fc.oneof(
      { weight: 8, arbitrary: fc.maxSafeNat() },
      { weight: 1, arbitrary: fc.constantFrom(-1, 1.5, 2 ** 53, Number.NaN) },
    ),
    deadLetter: fc.option(anyBlock),
  },
  { requiredKeys: [] },
);

const QUOTED = /^"(?:[^"\\]|\\.)*"/;

/** The block as docs/wire-contract.md §1 orders it. */
function textOfBlock(block: DeadLetter): string {
  const { reason, error, exception, failed_at, original_queue, attempts, lang } = block;
  const ordered = { reason, error, exception, failed_at, original_queue, attempts, lang };
  return JSON.stringify(ordered).replace(/[\uFFFE\uFFFF]/g, (unit) =>
    unit === "\uFFFE" ? "\\ufffe" : "\\uffff",
  );
}

/** The amended text, but that gaps may be missing where members were removed. */
function amended(
  envelope: EnvelopeText,
  { attempts, deadLetter }: Amendment,
): { readonly text: string; readonly isExact: boolean } {
  const { members, gaps, metas, around } = envelope;
  const texts = new Map<string, string>();
  if (attempts !== undefined) texts.set("attempts", String(attempts));
  if (deadLetter) texts.set("dead_letter", textOfBlock(deadLetter));
  let isExact = true;
  // of duplicates, the last one counts
  const job = members.findLast(({ key }) => key === "job")?.value.value;
  const isNamed = typeof job === "string" && !isBlank(job);
  const forbidden = isNamed ? FORBIDDEN : new Set(["timestamp", "job"]);
  const isKept = (key: string): boolean => {
    const kept = !forbidden.has(key) && !(deadLetter === null && key === "dead_letter");
    isExact &&= kept;
    return kept;
  };
  const edited = (member: MemberText): MemberText<unknown> => {
    const meta = metas.get(member);
    if (meta !== undefined) {
      const flags = meta.members.map(({ key }) => !FORBIDDEN_META.has(key));
      isExact &&= flags.every(Boolean);
      const text = textOf(
        meta.members.filter((_, at) => flags[at]),
        meta.gaps.filter((_, at) => flags[at]),
      );
      return { ...member, value: { text, value: null } };
    }
    // an alias that names the message becomes the job, its value as it came
    if (member.key === "urn") return { ...member, head: member.head.replace(QUOTED, '"job"') };
    const text = texts.get(member.key);
    return text === undefined ? member : { ...member, value: { text, value: null } };
  };
  const flags = members.map(({ key }) => isKept(key));
  const object = textOf(
    members.filter((_, at) => flags[at]).map(edited),
    gaps.filter((_, at) => flags[at]),
  );
  const added = Array.from(texts)
    .filter(([name]) => !members.some(({ key }) => key === name))
    .map(([name, text]) => `,"${name}":${text}`)
    .join("");
  // they go behind the last member, before the gap
  const whole = object.replace(/([\t\n]*)\}$/, (_, gap: string) => `${added}${gap}}`);
  return { text: around[0] + whole + around[1], isExact };
}

function withoutGaps(text: string): string {
  return text.replaceAll(/[\t\n]/g, "");
}

describe("amendEnvelope", () => {
  property(
    "an amendment changes what it names and no other byte",
    [anyEnvelopeText, anyAmendment],
    (envelope, amendment) => {
      const received = textOfEnvelope(envelope);
      const { attempts, deadLetter } = amendment;
      if (attempts !== undefined && !(Number.isSafeInteger(attempts) && attempts >= 0)) {
        expect(() => amendEnvelope(received, amendment)).toThrow(InvalidEnvelopeError);
        return;
      }
      const result = amendEnvelope(received, amendment);
      const { text, isExact } = amended(envelope, amendment);
      expect(withoutGaps(result)).toBe(withoutGaps(text));
      if (isExact) expect(result).toBe(text);

      const raw = rawValueOf(envelope);
      const { dead_letter: block, ...rest } = decodedOf(raw);
      const wanted = {
        ...rest,
        ...(attempts !== undefined && { attempts }),
        ...(deadLetter === undefined && block !== undefined && { dead_letter: block }),
        ...(deadLetter && { dead_letter: deadLetter }),
      };
      const pointers: unknown[] = [];
      const decoded = decodeEnvelope(result, {
        onWarning: ({ pointer }) => pointers.push(pointer),
      });
      const isOdd = !Number.isSafeInteger(raw["attempts"]) || Number(raw["attempts"]) < 0;
      expect(pointers).toEqual(isOdd && attempts === undefined ? ["/attempts"] : []);
      expect(canonical(decoded)).toBe(canonical(wanted));
      expect(amendEnvelope(result, amendment)).toBe(result);
    },
  );
});
