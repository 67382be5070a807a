import type { Message, MessageAttributeValue } from "@aws-sdk/client-sqs";
import type { Envelope, Headers, Warning } from "@babelqueue/core";

/** SQS takes no more on a message (Amazon SQS Developer Guide, "Message attributes"). */
const MAX_ATTRIBUTES = 10;

/** How many headers fit beside the contract's six attributes. */
export const HEADER_LIMIT = 4;

export type MessageAttributes = Record<string, MessageAttributeValue>;

type OnWarning = (warning: Warning) => void;

interface ContractAttribute {
  readonly name: string;
  readonly type: "String" | "Number";
  readonly valueOf: (envelope: Envelope<object>) => unknown;
}

/** The projection of the envelope (CONTRACT.md §2). */
const CONTRACT: readonly ContractAttribute[] = [
  { name: "bq-job", type: "String", valueOf: ({ job }) => job },
  { name: "bq-trace-id", type: "String", valueOf: ({ trace_id }) => trace_id },
  { name: "bq-message-id", type: "String", valueOf: ({ meta }) => meta.id },
  { name: "bq-schema-version", type: "Number", valueOf: ({ meta }) => meta.schema_version },
  { name: "bq-source-lang", type: "String", valueOf: ({ meta }) => meta.lang },
  { name: "bq-created-at", type: "Number", valueOf: ({ meta }) => meta.created_at },
];
const CONTRACT_NAMES: ReadonlySet<string> = new Set(CONTRACT.map(({ name }) => name));

/** The attribute that the gate of CONTRACT.md §3 reads. */
export const SCHEMA_VERSION_ATTRIBUTE = "bq-schema-version";

/**
 * The message attributes of an envelope: the contract's six, and then, until SQS's ten are full,
 * the headers, `traceparent` and `tracestate` first, the others sorted (CONTRACT.md §2). The
 * contract wins a collision; blank headers are skipped. What SQS would refuse, and with it the whole
 * message, is left out with a warning.
 */
export function toMessageAttributes(
  envelope: Envelope<object>,
  headers: Readonly<Headers> = {},
  onWarning: OnWarning = () => undefined,
): MessageAttributes {
  const attributes: MessageAttributes = {};
  let free = MAX_ATTRIBUTES;
  for (const { name, type, valueOf } of CONTRACT) {
    const value = valueOf(envelope);
    const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
    if (typeof text === "string" && isValue(text, type)) {
      attributes[name] = { DataType: type, StringValue: text };
      free -= 1;
    } else {
      warn(
        onWarning,
        "attribute_left_out",
        name,
        "the envelope holds no value for it that SQS takes",
      );
    }
  }
  addRiders(attributes, headers, free, onWarning);
  return attributes;
}

/**
 * The attributes of a message that is dead-lettered verbatim: those it came with, as far as ten
 * allow. First the contract's, then the two that say where it comes from and why, then the others
 * (CONTRACT.md §4).
 */
export function toVerbatimAttributes(
  received: Readonly<MessageAttributes> | undefined,
  reason: string,
  originalQueue: string,
): MessageAttributes {
  const entries = Object.entries(received ?? {});
  const marks: [string, MessageAttributeValue][] = [
    ["bq-dead-letter-reason", { DataType: "String", StringValue: reason }],
    ["bq-original-queue", { DataType: "String", StringValue: originalQueue }],
  ];
  const marked = new Set(marks.map(([name]) => name));
  return Object.fromEntries(
    [
      ...entries.filter(([name]) => CONTRACT_NAMES.has(name)),
      ...marks,
      ...sortRiders(entries.filter(([name]) => !CONTRACT_NAMES.has(name) && !marked.has(name))),
    ].slice(0, MAX_ATTRIBUTES),
  );
}

/**
 * The headers of a received message: its text attributes but for the contract's own, which are the
 * envelope's.
 */
export function headersOf(message: Message): Headers {
  const headers: [string, string][] = [];
  for (const [name, { StringValue: value }] of Object.entries(message.MessageAttributes ?? {})) {
    if (value !== undefined && !CONTRACT_NAMES.has(name)) headers.push([name, value]);
  }
  return Object.fromEntries(headers);
}

/** What SQS counts: UTF-8 bytes of names, types and values. */
export function sizeOfAttributes(attributes: Readonly<MessageAttributes>): number {
  let size = 0;
  for (const [name, { DataType, StringValue, BinaryValue }] of Object.entries(attributes)) {
    size += Buffer.byteLength(name) + Buffer.byteLength(DataType ?? "");
    size += StringValue === undefined ? (BinaryValue?.length ?? 0) : Buffer.byteLength(StringValue);
  }
  return size;
}

function addRiders(
  attributes: MessageAttributes,
  headers: Readonly<Headers>,
  room: number,
  onWarning: OnWarning,
): void {
  let free = room;
  let hasTraceparent = false;
  for (const [name, value] of sortRiders(Object.entries(headers))) {
    if (CONTRACT_NAMES.has(name) || isBlank(name) || isBlank(value)) continue;
    if (name === "tracestate" && !hasTraceparent) continue;
    if (!isName(name) || !isValue(value, "String")) {
      warn(onWarning, "header_left_out", name, "SQS takes no such name or value");
    } else if (free === 0) {
      warn(onWarning, "header_left_out", name, "a message has room for ten attributes");
    } else {
      addRider(attributes, name, value);
      hasTraceparent ||= name === "traceparent";
      free -= 1;
    }
  }
}

/**
 * A property that keeps its value: an instrumentation of the AWS SDK writes a `traceparent` of its
 * own over ours while there is room. (Frozen, it would make the send hang; this it takes silently.)
 */
function addRider(attributes: MessageAttributes, name: string, value: string): void {
  const attribute: MessageAttributeValue = { DataType: "String", StringValue: value };
  Object.defineProperty(attributes, name, {
    enumerable: true,
    get: () => attribute,
    set() {
      // ours stays
    },
  });
}

function sortRiders<T>(entries: readonly [string, T][]): [string, T][] {
  return [...entries].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

function rank(name: string): number {
  if (name === "traceparent") return 0;
  return name === "tracestate" ? 1 : 2;
}

function isBlank(text: unknown): boolean {
  return typeof text === "string" && text.trim() === "";
}

/** Letters, digits, `_`, `-` and single inner dots, at most 256, no prefix that AWS reserves. */
const NAME = /^(?!aws\.|amazon\.)(?!.*\.\.)[\w-](?:[\w.-]{0,254}[\w-])?$/i;

function isName(name: string): boolean {
  return NAME.test(name);
}

/** XML's characters, as for the body: no control character, U+FFFE, U+FFFF or lone surrogate. */
const VALUE = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]+$/u;
const NUMBER = /^-?\d{1,38}(?:\.\d{1,38})?$/;

function isValue(value: unknown, type: "String" | "Number"): value is string {
  return typeof value === "string" && (type === "Number" ? NUMBER : VALUE).test(value);
}

function warn(onWarning: OnWarning, code: string, header: string, reason: string): void {
  const shown = header.length > 60 ? `${header.slice(0, 60)}…` : header;
  const message = `Left the attribute ${JSON.stringify(shown)} out of an SQS message: ${reason}.`;
  onWarning({ code, message, header });
}
