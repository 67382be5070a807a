import {
  type Delivery,
  type Envelope,
  InvalidEnvelopeError,
  type SettlementOptions,
  UnknownUrnError,
  type UnknownUrnStrategy,
  UnsupportedSchemaVersionError,
  UrnRouter,
} from "@babelqueue/core";
import type { Copy } from "./expect-copy.js";
import type { BodySource } from "./folder.js";

type Behaviour = "returns" | "throws";

/** One row of a settlement table: every combination of what is listed has the same outcome. */
interface Row {
  readonly name: string;
  /** Names of the block's messages. */
  readonly messages: readonly string[];
  /** Null: none is set. */
  readonly strategies: readonly (UnknownUrnStrategy | null)[];
  readonly dead_letter_queue: readonly boolean[];
  /** The `onUnknownUrn` hook. Null: none is set. Default: none. */
  readonly hooks?: readonly (Behaviour | null)[];
  /** What the handler does; default: it returns. */
  readonly handler?: Behaviour;
  readonly release_delay_seconds?: number;
  readonly unknown_urn_release_delay_seconds?: number;
  readonly expect: Expected;
}

export interface Expected {
  readonly outcome: "ack" | "drop" | "release" | "leave" | "dead-letter";
  readonly delay_seconds?: number;
  /** Of a dead-letter. */
  readonly copy?: Copy;
  readonly reason?: string;
  /** What the error hook was told, in order. Default: nothing. */
  readonly reports?: readonly string[];
  /** The error hook gets the envelope. Default true. */
  readonly reports_envelope?: boolean;
  /** Default false. */
  readonly handler_called?: boolean;
  /** Default false. */
  readonly hook_called?: boolean;
}

export interface Settlement {
  /** The URN that has a handler. */
  readonly handled_urn: string;
  readonly messages: Readonly<
    Record<string, BodySource & { readonly declared_schema_version?: string }>
  >;
  readonly rows: readonly Row[];
}

export interface Combination {
  readonly title: string;
  readonly message: string;
  readonly strategy: UnknownUrnStrategy | null;
  readonly deadLetters: boolean;
  readonly hook: Behaviour | null;
  readonly row: Row;
  readonly expected: Expected;
}

export function combinationsOf({ rows }: Settlement): readonly Combination[] {
  return rows.flatMap((row) =>
    row.messages.flatMap((message) =>
      row.strategies.flatMap((strategy) =>
        row.dead_letter_queue.flatMap((deadLetters) =>
          (row.hooks ?? [null]).map((hook) => ({
            title:
              `${row.name}: ${message}, strategy ${strategy ?? "none"}, ` +
              `${deadLetters ? "a" : "no"} dead-letter queue, hook ${hook ?? "none"}`,
            message,
            strategy,
            deadLetters,
            hook,
            row,
            expected: row.expect,
          })),
        ),
      ),
    ),
  );
}

const HANDLER_ERROR = new Error("The handler of the vector throws");
const HOOK_ERROR = new Error("The hook of the vector throws");

/** What the user's functions were called with. */
export interface Calls {
  readonly reports: string[];
  readonly reportedEnvelopes: (Envelope | null)[];
  handled: number;
  hooked: number;
}

/** Those that serve a consumer of any transport. */
type UserOptions = Omit<SettlementOptions, "middleware">;

/** What the user of a consumer has set. */
interface User extends Pick<Combination, "strategy" | "hook"> {
  readonly row: {
    readonly handler?: Behaviour | undefined;
    readonly release_delay_seconds?: number;
    readonly unknown_urn_release_delay_seconds?: number;
  };
}

/** The options of a combination, and what becomes of the calls to them. */
export function userOf(
  { strategy, hook, row }: User,
  handledUrn: string,
): { calls: Calls; routes: UrnRouter; options: UserOptions } {
  const calls: Calls = { reports: [], reportedEnvelopes: [], handled: 0, hooked: 0 };
  const routes = new UrnRouter().on(handledUrn, () => {
    calls.handled += 1;
    if (row.handler === "throws") throw HANDLER_ERROR;
  });
  const onUnknownUrn = (): void => {
    calls.hooked += 1;
    if (hook === "throws") throw HOOK_ERROR;
  };
  const options: UserOptions = {
    unknownUrnStrategy: strategy ?? undefined,
    onUnknownUrn: hook === null ? undefined : onUnknownUrn,
    onError: (error, envelope) => {
      calls.reports.push(reportOf(error));
      calls.reportedEnvelopes.push(envelope);
    },
    onWarning: () => undefined,
    releaseDelaySeconds: row.release_delay_seconds,
    unknownUrnReleaseDelaySeconds: row.unknown_urn_release_delay_seconds,
  };
  return { calls, routes, options };
}

/** An error in the words of the vectors. */
export function reportOf(error: unknown): string {
  if (error === HANDLER_ERROR) return "handler";
  if (error === HOOK_ERROR) return "hook";
  if (error instanceof InvalidEnvelopeError) return "poison";
  if (error instanceof UnsupportedSchemaVersionError) return "gated";
  if (error instanceof UnknownUrnError) return "unknown_urn";
  return String(error);
}

/** The calls that a row wants, in the shape of {@link Calls}. */
export function expectedCalls({ expected }: Combination): object {
  const reports = expected.reports ?? [];
  return {
    reports,
    handled: (expected.handler_called ?? false) ? 1 : 0,
    hooked: (expected.hook_called ?? false) ? 1 : 0,
  };
}

export function deliveryOf(body: string, rest: Partial<Delivery>): Delivery {
  const { signal } = new AbortController();
  return { body, headers: {}, system: "memory", queue: "returns", message: null, signal, ...rest };
}
