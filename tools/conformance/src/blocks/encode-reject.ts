import { createEnvelope, encodeEnvelope } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { keysOf } from "../json.js";
import { rejectionOf } from "../rejection.js";
import { runnable } from "../sections.js";

interface Case {
  readonly name: string;
  readonly urn: string;
  readonly queue: string;
  readonly data: object;
  /** Given to the producer as keys of its own. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Found in the envelope, as if they had come with it. */
  readonly extras_top?: Readonly<Record<string, unknown>>;
  readonly extras_meta?: Readonly<Record<string, unknown>>;
  readonly offending_key: string;
}

const key = "encode_reject";

export const encodeReject = block<{ readonly cases: readonly Case[] }>({
  key,
  subject: "refused, whether given or found in the envelope",
  define: ({ cases }) => {
    test.each(runnable(key, cases))("$name", (given) => {
      const { urn, queue, data, meta, extras_top: top, extras_meta: inMeta } = given;
      const produce = (): string => {
        const envelope = createEnvelope(urn, data, { queue, meta });
        return encodeEnvelope({ ...envelope, ...top, meta: { ...envelope.meta, ...inMeta } });
      };
      const rejection = meta === undefined ? "forbidden_key" : "invalid_argument meta";
      expect(rejectionOf(produce)).toBe(rejection);
      expect(produce).toThrow(keysOf(given.offending_key).at(-1));
    });
  },
});
