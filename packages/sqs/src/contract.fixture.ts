import { inspect } from "node:util";
import type { Message } from "@aws-sdk/client-sqs";
import { decodeEnvelope, type Envelope, type Headers, type Warning } from "@babelqueue/core";
import { CREATED_AT, MESSAGE_ID, TRACE_ID, URN } from "../../core/src/envelope/texts.fixture.js";
import { SqsConsumer, type SqsConsumerOptions } from "./index.js";
import type { Server } from "./servers.fixture.js";

export {
  bodyText,
  envelopeOf,
  metaText,
  TRACE_ID,
  URN,
} from "../../core/src/envelope/texts.fixture.js";

interface TextAttribute {
  readonly DataType: string;
  readonly StringValue: string;
}

export function text(StringValue: string): TextAttribute {
  return { DataType: "String", StringValue };
}

type SixNames =
  | "bq-job"
  | "bq-trace-id"
  | "bq-message-id"
  | "bq-schema-version"
  | "bq-source-lang"
  | "bq-created-at";

/** The contract's six, of the envelope above. */
export const SIX: Readonly<Record<SixNames, TextAttribute>> = {
  "bq-job": text(URN),
  "bq-trace-id": text(TRACE_ID),
  "bq-message-id": text(MESSAGE_ID),
  "bq-schema-version": { DataType: "Number", StringValue: "1" },
  "bq-source-lang": text("node"),
  "bq-created-at": { DataType: "Number", StringValue: String(CREATED_AT) },
};

/** What a poison body's block says beside what it always says. */
interface PoisonBlock {
  readonly error: string;
  readonly queue: string;
  readonly failedAt: number;
  readonly attempts?: number;
}

/** The block of a poison body, as docs/wire-contract.md §4 orders it. */
function poisonBlock({ error, queue, failedAt, attempts = 0 }: PoisonBlock): string {
  return (
    `"dead_letter":{"reason":"poison","error":${JSON.stringify(error)},"exception":null,` +
    `"failed_at":${failedAt},"original_queue":"${queue}","attempts":${attempts},"lang":"node"}`
  );
}

/** The copy of a poison body that is a JSON object, which nothing follows. */
export function splicedCopy(body: string, block: PoisonBlock): string {
  return `${body.slice(0, -1)}${body === "{}" ? "" : ","}${poisonBlock(block)}}`;
}

/** The copy of any other poison body. */
export function wrappedCopy(body: string, block: PoisonBlock): string {
  return `{"raw":${JSON.stringify(body)},${poisonBlock(block)}}`;
}

/** What a body is refused with. */
export function refusalOf(body: string): string {
  return messageOf(thrownBy(() => decodeEnvelope(body)));
}

/** What an error says. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  throw new TypeError(`Expected an Error, got ${typeof error}`);
}

/** A consumer that writes down what it is told. */
export interface Probe {
  readonly consumer: SqsConsumer;
  readonly handled: Handled[];
  /** The arguments of each call of `onError`. */
  readonly reported: [unknown, Envelope | null, Message | null][];
  readonly warnings: Warning[];
  readonly poll: () => Promise<number>;
}

interface Handled {
  readonly envelope: Envelope;
  readonly message: Message;
  readonly headers: Readonly<Headers>;
}

export function probe(
  server: Pick<Server, "client">,
  queueUrl: string,
  options: SqsConsumerOptions = {},
  handle: (envelope: Envelope) => unknown = () => undefined,
): Probe {
  const handled: Handled[] = [];
  const reported: Probe["reported"] = [];
  const warnings: Warning[] = [];
  const consumer = new SqsConsumer(
    server.client,
    queueUrl,
    {
      [URN]: (envelope: Envelope, message, { headers }) => {
        handled.push({ envelope, message, headers });
        return handle(envelope);
      },
    },
    {
      waitTimeSeconds: 0,
      settleLingerMs: 0,
      onError: (...call) => reported.push(call),
      onWarning: (warning) => warnings.push(warning),
      ...options,
    },
  );
  return { consumer, handled, reported, warnings, poll: () => consumer.poll() };
}

/** What the promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("Expected it to reject");
    },
    (error: unknown) => error,
  );
}

/** What `action` throws. */
export function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("Expected it to throw");
}

/** What `action` returns, or else throws. */
export function outcomeOf(action: () => unknown): unknown {
  try {
    return action();
  } catch (thrown) {
    return thrown;
  }
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key));
  }
  return value;
}

export interface Observed {
  readonly warnings: NodeJS.ErrnoException[];
  readonly unhandled: unknown[];
}

/** Runs `action`, and sees which process warnings and unhandled rejections come of it. */
export async function observe(action: () => unknown): Promise<Observed> {
  const warnings: NodeJS.ErrnoException[] = [];
  const unhandled: unknown[] = [];
  const onWarning = (warning: Error): unknown => warnings.push(warning);
  const onUnhandled = (reason: unknown): unknown => unhandled.push(reason);
  // Node's own listener would print them, vitest's would fail the run
  const events = ["warning", "unhandledRejection"] as const;
  const others = events.map((event) => process.listeners(event as "warning"));
  for (const event of events) process.removeAllListeners(event);
  process.on("warning", onWarning).on("unhandledRejection", onUnhandled);
  try {
    await action();
    // both are told once the microtasks are through
    await new Promise((resolve) => setImmediate(resolve));
    return { warnings, unhandled };
  } finally {
    process.off("warning", onWarning).off("unhandledRejection", onUnhandled);
    events.forEach((event, index) => {
      for (const listener of others[index] ?? []) process.on(event as "warning", listener);
    });
  }
}

/** Everything that an error shows but for its cause: message, stack, own properties, its JSON. */
export function shownBy(error: unknown): string {
  const { cause: _, ...own } = Object.getOwnPropertyDescriptors(error as Error);
  return `${inspect(own, { depth: null, showHidden: true })} ${String(error)} ${JSON.stringify(error)}`;
}
