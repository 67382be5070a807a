/** Why SQS did not do what it was asked, in one shape for a request and for an entry of a batch. */
export interface Failure {
  /** The name that AWS gives the error, such as `InvalidMessageContents`; or the system's, `ECONNREFUSED`. */
  readonly code: string;
  /** It was our request's fault: trying the same again is no use. */
  readonly senderFault: boolean;
  /** What the SDK threw, or an Error with what SQS said of the entry. */
  readonly cause: unknown;
}

/** Emulators put the namespace of an older protocol before AWS's names. */
const LEGACY_PREFIX = "AWS.SimpleQueueService.";

/** Client faults by the letter of HTTP that are no fault of the request. */
const THROTTLED = /throttl|limit ?exceeded|too ?many ?requests|slow ?down|overlimit/i;

/** A client without a region, for which the AWS SDK has no name. */
export const REGION_MISSING = "RegionMissing";

/** What an SDK call threw, as a failure. */
export function failureOf(thrown: unknown): Failure {
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

export type EntryResult<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly failure: Failure;
      /** Not to be tried again, whoever's fault it was. */
      readonly isFinal?: boolean;
    };

/** The results of a request that failed as a whole: the client has tried it again by then. */
export function failedWhole(count: number, thrown: unknown): EntryResult<never>[] {
  const failure = failureOf(thrown);
  return Array.from({ length: count }, () => ({ ok: false, failure, isFinal: true }));
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
): EntryResult<T>[] {
  const results = Array.from({ length: count }, (): EntryResult<T> => UNANSWERED);
  for (const success of output.Successful ?? []) {
    results[Number(success.Id)] = { ok: true, value: valueOf(success) };
  }
  for (const failed of output.Failed ?? []) {
    results[Number(failed.Id)] = { ok: false, failure: failureOfEntry(failed) };
  }
  return results;
}

function failureOfEntry({ Code, Message, SenderFault }: FailedEntry): Failure {
  const code = (Code ?? "UnknownError").replace(LEGACY_PREFIX, "");
  const cause = new Error(Message ?? code);
  cause.name = code;
  return { code, senderFault: SenderFault === true && !THROTTLED.test(code), cause };
}

/** The result of an entry that the answer does not mention. */
export const UNANSWERED: EntryResult<never> = {
  ok: false,
  failure: {
    code: "Unanswered",
    senderFault: false,
    cause: new Error(
      "The answer to the batch names this entry neither as successful nor as failed",
    ),
  },
};
