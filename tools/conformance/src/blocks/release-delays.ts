import { createConsume, UrnRouter } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import type { BodySource } from "../folder.js";
import { deliveryOf } from "../settlement-rows.js";

interface ReleaseDelays {
  /** A message whose handler throws, or that has none. */
  readonly message: BodySource;
  readonly urn: string;
  readonly cases: readonly {
    readonly name: string;
    /** As configured; null: not a number. */
    readonly seconds: number | null;
    readonly expect: number;
  }[];
}

export const releaseDelays = block<ReleaseDelays>({
  key: "release_delays",
  subject: "whole seconds, 0 to 43200",
  define: ({ message, urn, cases }, folder) => {
    test.each(cases)("$name", async ({ seconds, expect: delaySeconds }) => {
      const delay = seconds ?? Number.NaN;
      const shared = { deadLetters: false, onError: () => undefined };
      const failing = new UrnRouter().on(urn, () => Promise.reject(new Error("It fails")));
      const consumes = [
        createConsume(failing, { ...shared, releaseDelaySeconds: delay }),
        createConsume(failing, { ...shared, releaseDelaySeconds: () => delay }),
        createConsume(new UrnRouter(), {
          ...shared,
          unknownUrnStrategy: "release",
          unknownUrnReleaseDelaySeconds: delay,
        }),
      ];
      for (const consume of consumes) {
        const outcome = await consume(deliveryOf(folder.bodyOf(message), {}));
        expect(outcome).toMatchObject({ kind: "release", delaySeconds });
      }
    });
  },
});
