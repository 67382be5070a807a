import type { BatchResult } from "@babelqueue/core/transport";
import type { FailedRequest } from "../errors.js";

/** Emulators put the namespace of an older protocol before AWS's names. */
const LEGACY_PREFIX = "AWS.SimpleQueueService.";

/** Client faults by the letter of HTTP that are no fault of the request. */
const THROTTLED = /throttl|limit ?exceeded|too ?many ?requests|slow ?down|overlimit/i;

/** A client without a region, for which the AWS SDK has no name. */
export const REGION_MISSING = "RegionMissing";

/** What an SDK call threw. */
export function failedRequest(thrown: unknown): FailedRequest {
  const error: Faulty = thrown instanceof Error ? thrown : {};
  const code = codeOf(error).replace(LEGACY_PREFIX, "");
  const isClientFault = error.$fault === "client" || code === REGION_MISSING;
  return { code, senderFault: isClientFault && !THROTTLED.test(code), cause: thrown };
}

function codeOf({ code, name, message }: Faulty): string {
  if (typeof code === "string") return code;
  if (message === "Region is missing") return REGION_MISSING;
  return typeof name === "string" ? name : "UnknownError";
}

interface Faulty {
  readonly name?: unknown;
  readonly message?: unknown;
  /** Of a network error: `ECONNREFUSED`, `ENOTFOUND`. */
  readonly code?: unknown;
  readonly $fault?: unknown;
}

interface FailedEntry {
  readonly Id?: string | undefined;
  readonly Code?: string | undefined;
  readonly Message?: string | undefined;
  readonly SenderFault?: boolean | undefined;
}

/** What became of one entry of a request. */
export type RequestResult<T> = BatchResult<T, FailedRequest>;

/** The results of a request; where it failed as a whole, the client has tried it again by then. */
export async function resultsOf<T>(
  count: number,
  request: () => Promise<readonly RequestResult<T>[]>,
): Promise<readonly RequestResult<T>[]> {
  try {
    return await request();
  } catch (thrown) {
    const failed = failedRequest(thrown);
    return Array.from({ length: count }, () => ({ ok: false, failed, again: false }));
  }
}

interface BatchOutput<TSuccess> {
  readonly Successful?: readonly TSuccess[] | undefined;
  readonly Failed?: readonly FailedEntry[] | undefined;
}

/** The results of a batch whose entries had their positions as ids, in the order of the entries. */
export function entryResults<TSuccess extends { readonly Id?: string | undefined }, T>(
  count: number,
  output: BatchOutput<TSuccess>,
  valueOf: (success: TSuccess) => T,
): RequestResult<T>[] {
  const results = Array.from({ length: count }, (): RequestResult<T> => UNANSWERED);
  for (const success of output.Successful ?? []) {
    results[Number(success.Id)] = { ok: true, value: valueOf(success) };
  }
  for (const failed of output.Failed ?? []) {
    results[Number(failed.Id)] = failedEntry(failed);
  }
  return results;
}

function failedEntry({ Code, Message, SenderFault }: FailedEntry): RequestResult<never> {
  const code = (Code ?? "UnknownError").replace(LEGACY_PREFIX, "");
  const cause = new Error(Message ?? code);
  cause.name = code;
  const senderFault = SenderFault === true && !THROTTLED.test(code);
  return { ok: false, failed: { code, senderFault, cause }, again: !senderFault };
}

/** The result of an entry that the answer does not mention. */
export const UNANSWERED: RequestResult<never> = {
  ok: false,
  failed: {
    code: "Unanswered",
    senderFault: false,
    cause: new Error(
      "The answer to the batch names this entry neither as successful nor as failed",
    ),
  },
  again: true,
};
