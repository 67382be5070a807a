import type { DeadLetter, Envelope, JsonValue } from "@babelqueue/core";
import * as fc from "fast-check";
import {
  anyJson,
  anyKey,
  anyObject,
  anyString,
  isBlank,
  nonBlank,
  objectOf,
} from "./json.arbitrary.js";
import {
  anyObjectText,
  anyStringText,
  anyText,
  gapsFor,
  type MemberText,
  memberOf,
  outerGap,
  type Text,
  textOf,
  valueOf,
} from "./text.arbitrary.js";

export const FORBIDDEN: ReadonlySet<string> = new Set(["timestamp", "urn"]);
export const FORBIDDEN_META: ReadonlySet<string> = new Set([
  ...["max_retries", "attempts", "source", "ts"],
]);
const KNOWN: ReadonlySet<string> = new Set([
  ...["job", "trace_id", "data", "meta", "attempts", "dead_letter"],
  ...FORBIDDEN,
]);
const KNOWN_META: ReadonlySet<string> = new Set([
  ...["id", "queue", "lang", "schema_version", "created_at"],
  ...FORBIDDEN_META,
]);

const unknownKey = anyKey.filter((key) => !KNOWN.has(key));
const unknownMetaKey = anyKey.filter((key) => !KNOWN_META.has(key));

function unknownMembers(keys: fc.Arbitrary<string>): fc.Arbitrary<Record<string, JsonValue>> {
  return fc.array(fc.tuple(keys, anyJson), { maxLength: 2 }).map(objectOf);
}

const anyMeta = fc
  .tuple(
    fc.record(
      { id: anyJson, queue: anyJson, lang: anyJson, created_at: anyJson },
      { requiredKeys: [] },
    ),
    unknownMembers(unknownMetaKey),
  )
  .map(([known, unknown]) => ({ ...known, schema_version: 1, ...unknown }));

export const anyBlock: fc.Arbitrary<DeadLetter> = fc.record({
  reason: fc.constantFrom<DeadLetter["reason"]>("failed", "unknown_urn", "poison"),
  error: fc.option(anyString),
  exception: fc.option(anyString),
  failed_at: fc.maxSafeNat(),
  original_queue: anyString,
  attempts: fc.maxSafeNat(),
  lang: anyString,
});

/** Any envelope that a producer may have made, what the contract doesn't check included. */
export const anyEnvelope: fc.Arbitrary<Envelope> = fc
  .tuple(
    nonBlank,
    nonBlank,
    anyObject,
    anyMeta,
    fc.maxSafeNat(),
    fc.option(anyBlock),
    unknownMembers(unknownKey),
  )
  .map(([job, trace_id, data, meta, attempts, block, unknown]) => {
    const envelope = { job, trace_id, data, meta, attempts, ...unknown };
    return (block === null ? envelope : { ...envelope, dead_letter: block }) as unknown as Envelope;
  });

const textOfCount: fc.Arbitrary<Text> = fc.oneof(
  fc.nat(5000).map((count) => ({ text: String(count), value: count })),
  fc.constantFrom<Text>(
    { text: "1.0", value: 1 },
    { text: "2e2", value: 200 },
    { text: "9007199254740991", value: Number.MAX_SAFE_INTEGER },
  ),
);
/** Read as 0, or as the largest count, with a warning. */
const textOfOddCount = fc.constantFrom<Text>(
  { text: "null", value: null },
  { text: "-1", value: -1 },
  { text: "-1e300", value: -1e300 },
  { text: "-9007199254740993", value: -9_007_199_254_740_993n },
  { text: "9007199254740992", value: 9_007_199_254_740_992n },
  { text: "1e300", value: 1e300 },
);
const textOfOne = fc.constantFrom<Text>(
  ...["1", "1.0", "1e0", "10e-1"].map((text) => ({ text, value: 1 })),
);
const textOfName = anyStringText.filter(
  ({ value }) => typeof value === "string" && !isBlank(value),
);

/** Members in any order; those of a known key at least once or not, as `most` and `least` say. */
interface Part {
  readonly key: fc.Arbitrary<string>;
  readonly values: fc.Arbitrary<Text>;
  readonly least: 0 | 1;
  readonly most: number;
}

function part(key: string, values: fc.Arbitrary<Text>, least: 0 | 1, most = 2): Part {
  return { key: fc.constant(key), values, least, most };
}

function membersOf(parts: readonly Part[]): fc.Arbitrary<readonly MemberText[]> {
  const members = parts.map(({ key, values, least, most }) =>
    fc.array(
      key.chain((name) => memberOf(name, values)),
      { minLength: least, maxLength: most, size: "small" },
    ),
  );
  return fc
    .tuple(...members)
    .map((all) => all.flat())
    .chain((all) => fc.shuffledSubarray(all, gapsFor(all.length)));
}

const metaMembers = membersOf([
  part("id", anyText, 0, 1),
  part("queue", anyText, 0, 1),
  part("lang", anyText, 0, 1),
  part("created_at", anyText, 0, 1),
  part("schema_version", textOfOne, 1),
  ...[...FORBIDDEN_META].map((key) => part(key, anyText, 0, 1)),
  { key: unknownMetaKey, values: anyText, least: 0, most: 2 },
]);

type Gaps = readonly (readonly [string, string])[];
const gapsOf = (length: number): fc.Arbitrary<Gaps> =>
  fc.array(fc.tuple(outerGap, outerGap), gapsFor(length));

/** The text of an envelope, and of what parts it is made. */
export interface EnvelopeText {
  readonly members: readonly MemberText[];
  readonly gaps: Gaps;
  /** Of each member that is a `meta`: its own members. */
  readonly metas: ReadonlyMap<MemberText, Metas>;
  readonly around: readonly [string, string];
}

interface Metas {
  readonly members: readonly MemberText[];
  readonly gaps: Gaps;
}

const metaText = metaMembers.chain((members) =>
  gapsOf(members.length).map((gaps) => ({ members, gaps })),
);

/** A `meta` is made of its members after the others have their places. */
const META: Text = { text: "", value: null };

const named: readonly Part[] = [part("job", textOfName, 1), part("urn", anyText, 0)];
const namedByAlias: readonly Part[] = [part("urn", textOfName, 1), part("job", anyText, 0)];

/** The text of an envelope that decodes, in any order, with duplicates, escapes and white space. */
export const anyEnvelopeText: fc.Arbitrary<EnvelopeText> = fc
  .oneof(
    ...[named, namedByAlias].map((names) =>
      membersOf([
        ...names,
        part("trace_id", textOfName, 1),
        part("data", anyObjectText, 1),
        part("meta", fc.constant(META), 1),
        part("attempts", fc.oneof({ weight: 3, arbitrary: textOfCount }, textOfOddCount), 0, 3),
        part("timestamp", anyText, 0),
        part("dead_letter", anyText, 0),
        { key: unknownKey, values: anyText, least: 0, most: 3 },
      ]),
    ),
  )
  .chain((members) => {
    const holders = members.filter(({ key }) => key === "meta");
    return fc
      .tuple(
        gapsOf(members.length),
        fc.array(metaText, gapsFor(holders.length)),
        fc.tuple(outerGap, outerGap),
      )
      .map(([gaps, metas, around]) => {
        const filled = new Map<MemberText, Metas>();
        const all = members.map((member) => {
          if (member.key !== "meta") return member;
          const meta = metas[filled.size];
          if (meta === undefined) throw new RangeError("Each meta has members");
          const whole = {
            ...member,
            value: { text: textOf(meta.members, meta.gaps), value: valueOf(meta.members) },
          };
          filled.set(whole, meta);
          return whole;
        });
        return { members: all, gaps, metas: filled, around };
      });
  });

export function textOfEnvelope({ members, gaps, around: [before, after] }: EnvelopeText): string {
  return `${before}${textOf(members, gaps)}${after}`;
}

/** What the text says, but for the rules of decoding. */
export function rawValueOf({ members }: EnvelopeText): Record<string, JsonValue> {
  return valueOf(members);
}
