import type { Message } from "./history.js";
import { readLog } from "./log.js";
import type { DeadLetters } from "./queues.js";

/** One handler that ran for one delivery. */
export interface Run {
  client: string;
  /** The delivery's `ApproximateReceiveCount`. */
  count: number;
  startedAt: number;
  /** Undefined where the process was killed first. */
  endedAt: number | undefined;
  isSuccess: boolean;
  /** When its signal aborted. */
  abortedAt: number | undefined;
  /** The consumer stopped without it, and reported that. */
  isAbandoned: boolean;
}

/** A consumer process, from its start to its end. */
export interface Instance {
  client: string;
  end: "stopped" | "killed" | "crashed" | "hung";
  detail: string;
  /** When `stop()` had resolved. */
  stoppedAt: number | undefined;
  endedAt: number;
}

/** A message as its producer sees it. */
export interface Publication {
  envelope: string;
  group: string | undefined;
  /** The number of the first call in its producer. */
  firstCall: number;
  /** The number of the call that was confirmed. */
  confirmedCall: number | undefined;
}

/** All that a verdict is made from. */
export interface Evidence {
  messages: ReadonlyMap<string, Message>;
  /** When an envelope was copied to a dead-letter queue. */
  copies: ReadonlyMap<string, number>;
  deadLetters: DeadLetters;
  /** By producer, by first call. */
  publications: readonly (readonly Publication[])[];
  /** By SQS message id, by their start. */
  runs: ReadonlyMap<string, readonly Run[]>;
  /** When a delivery reached its consumer. */
  received: ReadonlyMap<string, number>;
  /** When a consumer gave a delete up, by client and message. */
  failedDeletes: ReadonlyMap<string, readonly number[]>;
  instances: readonly Instance[];
  /** Errors and warnings by name. */
  reports: Readonly<Record<string, number>>;
  /** How many messages are left in the queues. */
  depth: number;
  /** What went wrong with the soak itself. */
  failures: readonly string[];
}

/** The key of a delivery to a consumer. */
export function deliveryKey(client: string, id: string, count: number): string {
  return `${client} ${id}/${count}`;
}

/** The key of a message at a consumer. */
export function messageKey(client: string, id: string): string {
  return `${client} ${id}`;
}

/** What the consumers' logs say. */
export class ConsumerLogs {
  runs = new Map<string, Run[]>();
  received = new Map<string, number>();
  failedDeletes = new Map<string, number[]>();
  reports: Record<string, number> = {};
  /** When `stop()` had resolved, by client. */
  stopped = new Map<string, number>();

  read(client: string, path: string): void {
    const open = new Map<string, Run>();
    for (const { kind, at, fields } of readLog(path)) {
      const [name = ""] = fields;
      const run = open.get(name);
      switch (kind) {
        case "received":
          for (const one of fields) this.received.set(`${client} ${one}`, at);
          break;
        case "start":
          open.set(name, this.#start(client, name, at));
          break;
        case "success":
        case "throw":
          if (run === undefined) break;
          run.endedAt = at;
          run.isSuccess = kind === "success";
          break;
        case "abort":
          if (run !== undefined) run.abortedAt = at;
          break;
        case "error":
          this.#error(client, name, open.get(fields[1] ?? ""), fields[1] ?? "", at);
          this.reports[name] = (this.reports[name] ?? 0) + 1;
          break;
        case "warning":
          this.reports[name] = (this.reports[name] ?? 0) + 1;
          break;
        case "stopped":
          this.stopped.set(client, at);
          break;
        default:
      }
    }
  }

  /** The runs of each message in the order of their starts. */
  sort(): void {
    for (const runs of this.runs.values()) runs.sort((a, b) => a.startedAt - b.startedAt);
  }

  #error(client: string, error: string, run: Run | undefined, name: string, at: number): void {
    if (error.startsWith("HandlerUnfinishedError") && run !== undefined) run.isAbandoned = true;
    if (!error.startsWith("SqsDeleteError")) return;
    const key = messageKey(client, name.slice(0, name.indexOf("/")));
    const times = this.failedDeletes.get(key);
    if (times === undefined) this.failedDeletes.set(key, [at]);
    else times.push(at);
  }

  #start(client: string, name: string, at: number): Run {
    const slash = name.indexOf("/");
    const id = name.slice(0, slash);
    const run: Run = {
      client,
      count: Number(name.slice(slash + 1)),
      startedAt: at,
      endedAt: undefined,
      isSuccess: false,
      abortedAt: undefined,
      isAbandoned: false,
    };
    const runs = this.runs.get(id);
    if (runs === undefined) this.runs.set(id, [run]);
    else runs.push(run);
    return run;
  }
}

/**
 * What a producer's log says.
 *
 * @returns in the order of their first calls
 */
export function readPublications(path: string): Publication[] {
  const publications = new Map<string, Publication>();
  const calls = new Map<string, string>();
  for (const { kind, fields } of readLog(path)) {
    const [call = "", envelope = "", group] = fields;
    if (kind === "call") {
      calls.set(call, envelope);
      if (publications.has(envelope)) continue;
      publications.set(envelope, {
        envelope,
        group: group === "-" ? undefined : group,
        firstCall: Number(call),
        confirmedCall: undefined,
      });
    } else if (kind === "confirmed") {
      const publication = publications.get(calls.get(call) ?? "");
      if (publication !== undefined) publication.confirmedCall = Number(call);
    } else if (kind === "published") {
      // by publishBatch: the envelope is known only now
      publications.set(envelope, {
        envelope,
        group: undefined,
        firstCall: Number(call),
        confirmedCall: Number(call),
      });
    }
  }
  return [...publications.values()];
}
