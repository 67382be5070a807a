import { UNKNOWN_URN, URN } from "../stage.js";

/**
 * The text of an envelope as an SDK of another language writes it, whose bytes tell whether it was
 * passed on or written anew: `99.90`, a 64-bit integer, an escaped slash, a space, unknown keys.
 */
export function rawEnvelope({
  urn = URN,
  attempts = 0,
}: {
  readonly urn?: string;
  readonly attempts?: number;
}): string {
  return (
    `{"job":"${urn}","trace_id":"5c1f0c3e-6a2b-4a53-9d58-0f0a3b1c9e77",` +
    '"data":{"price":99.90,"customer":9223372036854775807,"name":"Gr\\u00fc\\/ße 日本"},' +
    '"meta": {"id":"0d9f1a52-70c6-4b53-8f7e-5a4d1c0b9a31","queue":"elsewhere","lang":"php",' +
    `"schema_version":1,"created_at":1749132727000,"region":"eu"},"priority":7,"attempts":${attempts}}`
  );
}

/** The same, without a handler. */
export function rawUnknown(attempts = 0): string {
  return rawEnvelope({ urn: UNKNOWN_URN, attempts });
}
