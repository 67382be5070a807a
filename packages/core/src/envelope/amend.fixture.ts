import type { Amendment } from "../index.js";
import { BLOCK, metaText } from "./envelope.fixture.js";

/** A received body with an amendment, and what is to come of it, made from one seed. */
export interface AmendCase {
  readonly received: string;
  readonly amendment: Amendment;
  /** The amended text without the gaps between members. */
  readonly expected: string;
  /** Nothing is to be removed, so the gaps must stay as well. */
  readonly expectedWithGaps: string | null;
}

/**
 * White space between members is of tabs and line feeds only, that within members of spaces and
 * carriage returns only: so an expectation can leave open which gap goes with a removed member.
 */
export function withoutGaps(text: string): string {
  return text.replaceAll(/[\t\n]/g, "");
}

interface Member {
  readonly key: string;
  /** Key and colon as spelled. */
  readonly head: string;
  readonly value: string;
}

const FORBIDDEN = new Set(["timestamp"]);
const FORBIDDEN_META = new Set(["max_retries", "attempts", "source", "ts"]);
const VALUES = [
  ...["0", "-0", "99.90", "1E+2", "9223372036854775807", "true", "null", "[ ]", "{ }"],
  ...['"a\\"b}],:{"', '"\\\\"', '"\\u0061ttempts"', "[1 , [2],{}]", '"Café ☕"', '""'],
  ...['{"attempts":7,"timestamp" : 1, "meta":{"ts":1},"dead_letter":2}', '{"job":"x"}'],
];

export function amendCase(seed: number): AmendCase {
  const random = mulberry32(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = (values: readonly string[]): string => values[below(values.length)] ?? "";
  const spaces = (alphabet: string): string =>
    Array.from({ length: below(3) }, () => pick(alphabet.split(""))).join("");
  const spelled = (key: string): string =>
    key
      .split("")
      .map((char) =>
        below(6) > 0 ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
      .join("");
  const member = (key: string, value: string): Member => ({
    key,
    head: `"${spelled(key)}"${spaces(" \r")}:${spaces(" \r")}`,
    value,
  });
  const some = (most: number, make: (index: number) => Member): Member[] =>
    Array.from({ length: below(most + 1) }, (_, index) => make(index));
  const shuffled = (members: Member[]): Member[] =>
    members
      .map((each) => ({ each, rank: random() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ each }) => each);
  const gaps = Array.from({ length: 7 }, () => spaces("\t\n"));
  const render = (members: readonly Member[]): string => {
    const texts = members.map(
      ({ head, value }, index) => `${gaps[index % 7]}${head}${value}${gaps[(index * 3 + 1) % 7]}`,
    );
    return `{${texts.join(",")}}`;
  };

  const metaMembers = (): Member[] =>
    shuffled([
      ...Object.entries(JSON.parse(metaText()) as object).map(([key, value]) =>
        member(key, JSON.stringify(value)),
      ),
      ...[...FORBIDDEN_META].flatMap((key) => some(1, () => member(key, pick(VALUES)))),
      ...some(2, (index) => member(`unknown ${index}`, pick(VALUES))),
    ]);
  const metas = [metaMembers(), ...(below(3) === 0 ? [metaMembers()] : [])];
  const members = shuffled([
    member(pick(["job", "urn"]), '"urn:a:b"'),
    member("trace_id", '"t"'),
    member("data", `{"a":${pick(VALUES)} , "b":[${pick(VALUES)}]}`),
    ...metas.map((_, index) => member("meta", `META${index}`)),
    ...[member("attempts", pick(["0", "1.0", "41"])), ...some(2, () => member("attempts", "7"))],
    ...some(2, () => member("timestamp", pick(VALUES))),
    ...some(2, () => member("dead_letter", pick(VALUES))),
    ...some(2, (index) => member(`unknown ${index}`, pick(VALUES))),
  ]);

  const attempts = below(2) === 0 ? undefined : below(1000);
  const deadLetter = [undefined, null, BLOCK][below(3)];
  const removed = new Set([...FORBIDDEN, ...(deadLetter === null ? ["dead_letter"] : [])]);
  const withMetas = (text: string, keep: (key: string) => boolean): string =>
    text.replaceAll(/META(\d)/g, (_, index: string) =>
      render((metas[Number(index)] ?? []).filter(({ key }) => keep(key))),
    );
  const amended = members
    .filter(({ key }) => !removed.has(key))
    .map((each) => {
      if (each.key === "urn") return { ...each, head: each.head.replace(/^"[^"]*"/, '"job"') };
      if (each.key === "attempts" && attempts !== undefined)
        return { ...each, value: `${attempts}` };
      if (each.key === "dead_letter" && deadLetter)
        return { ...each, value: JSON.stringify(BLOCK) };
      return each;
    });
  const block =
    deadLetter && !members.some(({ key }) => key === "dead_letter")
      ? `,"dead_letter":${JSON.stringify(BLOCK)}`
      : "";
  const rendered = withMetas(render(amended), (key) => !FORBIDDEN_META.has(key));
  const isUntouched =
    amended.length === members.length && metas.flat().every(({ key }) => !FORBIDDEN_META.has(key));
  return {
    received: withMetas(render(members), () => true),
    amendment: { attempts, deadLetter },
    expected: withoutGaps(rendered).replace(/\}$/, `${block}}`),
    expectedWithGaps: isUntouched ? rendered.replace(/([\t\n]*)\}$/, `${block}$1}`) : null,
  };
}

/** A small random generator whose numbers a seed decides. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
