import { createEnvelope, encodeEnvelope } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { keysOf } from "../json.js";
import { rejectionOf } from "../rejection.js";

interface Case {
  readonly name: string;
  /** What is put there, by the name of its kind. */
  readonly kind: string;
  /** Where in the envelope. */
  readonly at: string;
  /** The encoded `data`. */
  readonly expect?: string;
  /** The pointer that the refusal names. */
  readonly refused_at?: string;
}

interface PayloadValues {
  /** `data`, into which the value is put. */
  readonly data: object;
  readonly cases: readonly Case[];
}

/** The values that JSON has no literal for, by the names of the vectors. */
const kinds = new Map<string, () => unknown>([
  ["not_a_number", () => Number.NaN],
  ["positive_infinity", () => Number.POSITIVE_INFINITY],
  ["negative_infinity", () => Number.NEGATIVE_INFINITY],
  ["undefined", () => undefined],
  ["function", () => () => undefined],
  ["symbol", () => Symbol("shelf")],
  ["map", () => new Map([["shelf", 1]])],
  ["set", () => new Set(["shelf"])],
  ["bytes", () => new Uint8Array([1, 2])],
  ["moment", () => new Date("2031-01-03T04:05:06.007Z")],
  ["integer_beyond_double", () => 2n ** 63n - 1n],
  ["nested_100000", () => nestedArrays(100_000)],
]);

function nestedArrays(levels: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

/** A copy of the block's data with the value put at the pointer. */
function payload({ data }: PayloadValues, { kind, at }: Case): object {
  const document = { data: structuredClone(data) };
  const keys = keysOf(at);
  const last = keys.pop() ?? "";
  let holder: Record<string, unknown> = document;
  for (const key of keys) holder = holder[key] as Record<string, unknown>;
  if (kind === "cycle") {
    holder[last] = document.data;
  } else {
    const make = kinds.get(kind);
    if (make === undefined) throw new Error(`Unknown kind of payload value: ${kind}`);
    holder[last] = make();
  }
  return document.data;
}

export const payloadValues = block<PayloadValues>({
  key: "payload_values",
  subject: "data is what JSON can carry",
  define: (given) => {
    test.each(given.cases)("$name", (one) => {
      const run = (): string =>
        encodeEnvelope(createEnvelope("urn:babel:library:shelf.counted", payload(given, one)));
      if (one.refused_at === undefined) expect(run()).toContain(`"data":${one.expect},"meta"`);
      else expect(rejectionOf(run)).toMatch(refusal(one.refused_at));
    });
  },
});

/** A trailing `*` stands for any place below, where the depth that is refused is up to the SDK. */
function refusal(pointer: string): RegExp {
  const [prefix = "", anywhere] = pointer.split("*");
  return new RegExp(`^invalid_payload ${prefix}${anywhere === undefined ? "$" : ""}`);
}
