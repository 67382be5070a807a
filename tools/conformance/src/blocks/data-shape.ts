import { createEnvelope, decodeEnvelope, encodeEnvelope } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import type { BodySource } from "../folder.js";
import { rejectionOf } from "../rejection.js";
import { expectProducible } from "../schema.js";

interface Encode {
  readonly name: string;
  readonly mode: "encode";
  readonly urn: string;
  readonly queue?: string;
  readonly data: object;
  readonly expect_encoded_data_json: string;
}
interface Decode extends BodySource {
  readonly name: string;
  readonly mode: "decode";
  readonly valid: boolean;
}

export const dataShape = block<{ readonly cases: readonly (Encode | Decode)[] }>({
  key: "data_shape",
  subject: "data is a JSON object",
  define: ({ cases }, folder) => {
    test.each(cases)("$mode: $name", (given) => {
      switch (given.mode) {
        case "encode": {
          const { urn, data, queue } = given;
          const text = encodeEnvelope(createEnvelope(urn, data, { queue }));
          expect(text).toContain(`,"data":${given.expect_encoded_data_json},"meta":`);
          expectProducible(folder, text);
          break;
        }
        case "decode": {
          const rejection = rejectionOf(() => decodeEnvelope(folder.bodyOf(given)));
          expect(rejection).toBe(given.valid ? undefined : "invalid_data");
          break;
        }
        default:
          throw new Error(`Unknown mode in data_shape: ${JSON.stringify(given)}`);
      }
    });
  },
});
