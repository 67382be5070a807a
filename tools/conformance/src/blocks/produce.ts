import { createEnvelope, encodeEnvelope, SOURCE_LANG } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { rejectionOf } from "../rejection.js";

interface Case {
  readonly name: string;
  readonly urn: string;
  readonly data: object;
  readonly queue?: string;
  readonly trace_id?: string;
  /** Keys of the producer's own. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly expect?: {
    readonly job: string;
    readonly queue: string;
    /** Null: a new UUID. */
    readonly trace_id: string | null;
  };
  readonly error?: string;
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);

export const produce = block<{ readonly cases: readonly Case[] }>({
  key: "produce",
  subject: "createEnvelope",
  define: ({ cases }) => {
    test.each(cases)("$name", (given) => {
      const make = () =>
        createEnvelope(given.urn, given.data, {
          queue: given.queue,
          traceId: given.trace_id,
          meta: given.meta,
        });
      if (given.error !== undefined) {
        expect(rejectionOf(() => encodeEnvelope(make()))).toBe(given.error);
        return;
      }
      const before = Date.now();
      const envelope = make();
      expect(envelope).toEqual({
        job: given.expect?.job,
        trace_id: given.expect?.trace_id ?? like(UUID),
        data: given.data,
        meta: {
          id: like(UUID_V4),
          queue: given.expect?.queue,
          lang: SOURCE_LANG,
          schema_version: 1,
          created_at: expect.any(Number) as unknown,
          ...given.meta,
        },
        attempts: 0,
      });
      expect(envelope.meta.created_at).toBeGreaterThanOrEqual(before);
      expect(envelope.meta.created_at).toBeLessThanOrEqual(Date.now());
      expect(make().meta.id).not.toBe(envelope.meta.id);
    });
  },
});
