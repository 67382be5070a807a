import type { JsonValue } from "@babelqueue/core";
import { FORBIDDEN, FORBIDDEN_META } from "./envelope.arbitrary.js";
import { objectOf } from "./json.arbitrary.js";

/** The envelope that decoding makes of an accepted body (CONTRACT.md §1), written anew for the tests. */
export function decodedOf(raw: Readonly<Record<string, JsonValue>>): Record<string, JsonValue> {
  const name = [raw["job"], raw["urn"]].find(
    (candidate): candidate is string => typeof candidate === "string" && candidate.trim() !== "",
  );
  const kept = without(raw, new Set(["urn", ...FORBIDDEN]));
  return {
    ...kept,
    job: name?.trim() ?? null,
    meta: without(kept["meta"] as Record<string, JsonValue>, FORBIDDEN_META),
  };
}

function without(
  object: Readonly<Record<string, JsonValue>>,
  keys: ReadonlySet<string>,
): Record<string, JsonValue> {
  return objectOf(Object.entries(object).filter(([key]) => !keys.has(key)));
}
