import type { JsonValue } from "@babelqueue/core";
import { FORBIDDEN, FORBIDDEN_META } from "./envelope.arbitrary.js";
import { isBlank, objectOf } from "./json.arbitrary.js";

/** The envelope that decoding makes of an accepted body (docs/wire-contract.md §1), written anew for the tests. */
export function decodedOf(raw: Readonly<Record<string, JsonValue>>): Record<string, JsonValue> {
  const name = [raw["job"], raw["urn"]].find(
    (candidate): candidate is string => typeof candidate === "string" && !isBlank(candidate),
  );
  const kept = without(raw, FORBIDDEN);
  return {
    ...kept,
    job: name ?? null,
    attempts: attemptsOf(raw["attempts"] ?? null),
    meta: without(kept["meta"] as Record<string, JsonValue>, FORBIDDEN_META),
  };
}

/** Those that other SDKs write are read as what they must mean. */
function attemptsOf(raw: JsonValue): number {
  if (raw === null) return 0;
  return Math.min(Math.max(Number(raw), 0), Number.MAX_SAFE_INTEGER);
}

function without(
  object: Readonly<Record<string, JsonValue>>,
  keys: ReadonlySet<string>,
): Record<string, JsonValue> {
  return objectOf(Object.entries(object).filter(([key]) => !keys.has(key)));
}
