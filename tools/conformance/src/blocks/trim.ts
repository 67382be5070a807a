import { createEnvelope, decodeEnvelope, encodeEnvelope, identityOf } from "@babelqueue/core";
import { expect, test } from "vitest";
import { block } from "../block.js";
import { expectValues, type Values } from "../expect-values.js";
import type { BodySource, Folder } from "../folder.js";
import { ways } from "../passing-on.js";
import { rejectionOf } from "../rejection.js";
import { expectedVerdict, type UrnCase, urnVerdict } from "../urn-verdict.js";

interface Make {
  readonly name: string;
  readonly mode: "make";
  readonly urn: string;
  readonly trace_id?: string;
  readonly expect: "reject" | { readonly job: string; readonly trace_id?: string };
}
interface Decode extends UrnCase {
  readonly mode: "decode";
}
interface Accepts extends BodySource {
  readonly name: string;
  readonly mode: "accepts";
  readonly expect_accepts: boolean;
  /** Of the lenient reading. */
  readonly expect_decode_ok: boolean;
}
interface Reemit extends BodySource {
  readonly name: string;
  readonly mode: "reemit";
  readonly expect_attempts: number;
  readonly expect_preserved: Values;
}
type Case = Make | Decode | Accepts | Reemit;

export const trim = block<{ readonly cases: readonly Case[] }>({
  key: "trim",
  subject: "six ASCII characters are white space, and no others",
  define: ({ cases }, folder) => {
    test.each(cases)("$mode: $name", (given) => {
      switch (given.mode) {
        case "make":
          expectMade(given);
          break;
        case "decode":
          expect(urnVerdict(folder.bodyOf(given))).toEqual(expectedVerdict(given));
          break;
        case "accepts":
          expectAccepted(given, folder);
          break;
        case "reemit":
          for (const passOn of Object.values(ways)) {
            const document: unknown = JSON.parse(passOn(folder.bodyOf(given)));
            const { expect_preserved: values, expect_attempts: attempts } = given;
            expectValues(document, { ...values, "/attempts": attempts });
          }
          break;
        default:
          throw new Error(`Unknown mode in trim: ${JSON.stringify(given)}`);
      }
    });
  },
});

function expectMade({ urn, trace_id: traceId, expect: expected }: Make): void {
  const make = () => createEnvelope(urn, {}, { traceId });
  if (expected === "reject") {
    expect(rejectionOf(make)).toBe("invalid_urn");
    return;
  }
  const envelope = make();
  expect(envelope).toMatchObject(expected);
  expect(JSON.parse(encodeEnvelope(envelope))).toMatchObject(expected);
}

function expectAccepted(given: Accepts, folder: Folder): void {
  const body = folder.bodyOf(given);
  const rejection = rejectionOf(() => decodeEnvelope(body));
  expect(rejection).toBe(given.expect_accepts ? undefined : "invalid_trace_id");
  expect(identityOf(body) !== null).toBe(given.expect_decode_ok);
}
