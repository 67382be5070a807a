import { decodeEnvelope } from "@babelqueue/core";
import { expect } from "vitest";
import { valueAt } from "./json.js";

/**
 * What a dead-letter queue gets: the body as it was received, an envelope amended, a body that
 * differs in the block alone, or one in the member `raw` of an object with the block.
 */
export type Copy = "verbatim" | "amended" | "spliced" | "wrapped";

interface Expected {
  readonly copy?: Copy;
  readonly reason?: string;
}

export function expectCopy(copy: string, { copy: kind, reason }: Expected, received: string): void {
  if (kind === "verbatim") {
    expect(copy).toBe(received);
    return;
  }
  const document = JSON.parse(copy) as object;
  const block = valueAt(document, "/dead_letter");
  expect(block).toMatchObject({ reason });
  switch (kind) {
    case "amended":
      expect(decodeEnvelope(copy).dead_letter).toEqual(block);
      break;
    case "spliced":
      expect(copy.replace(`,"dead_letter":${JSON.stringify(block)}`, "")).toBe(received);
      break;
    case "wrapped":
      expect(document).toEqual({ raw: received, dead_letter: block });
      break;
    case undefined:
      throw new Error("The vector does not say what the copy is");
  }
}
