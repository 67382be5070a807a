import type { Message, MessageAttributeValue } from "@aws-sdk/client-sqs";
import type { Envelope, Headers, Warning } from "@babelqueue/core";
import { isNonBlank } from "@babelqueue/core/transport";

/** SQS takes no more on a message (Amazon SQS Developer Guide, "Message attributes"). */
export const MAX_ATTRIBUTES = 10;

/** How many headers fit beside the contract's six attributes. */
export const HEADER_LIMIT = 4;

export type MessageAttributes = Record<string, MessageAttributeValue>;

/** An attribute with its name. */
export type Attribute = readonly [name: string, attribute: MessageAttributeValue];

/** As a client returns them. Names are the sender's choice: `__proto__` comes as undefined. */
export type ReceivedAttributes =
  | Readonly<Record<string, MessageAttributeValue | null | undefined>>
  | undefined;

export type OnWarning = (warning: Warning) => void;

interface ContractAttribute {
  readonly name: string;
  readonly type: "String" | "Number";
  readonly valueOf: (envelope: Envelope<object>) => unknown;
}

/** The projection of the envelope (docs/wire-contract.md §2). */
const CONTRACT: readonly ContractAttribute[] = [
  { name: "bq-job", type: "String", valueOf: ({ job }) => job },
  { name: "bq-trace-id", type: "String", valueOf: ({ trace_id }) => trace_id },
  { name: "bq-message-id", type: "String", valueOf: ({ meta }) => meta.id },
  { name: "bq-schema-version", type: "Number", valueOf: ({ meta }) => meta.schema_version },
  { name: "bq-source-lang", type: "String", valueOf: ({ meta }) => meta.lang },
  { name: "bq-created-at", type: "Number", valueOf: ({ meta }) => meta.created_at },
];
const CONTRACT_NAMES: ReadonlySet<string> = new Set(CONTRACT.map(({ name }) => name));

/** The attribute that the gate of docs/wire-contract.md §3 reads. */
export const SCHEMA_VERSION_ATTRIBUTE = "bq-schema-version";

/**
 * The message attributes of an envelope: the contract's six, and then, until SQS's ten are full,
 * the headers, `traceparent` and `tracestate` first, the others sorted (docs/wire-contract.md §2). The
 * contract wins a collision; blank headers are skipped. What SQS would refuse, and with it the whole
 * message, is left out with a warning.
 */
export function toMessageAttributes(
  envelope: Envelope<object>,
  headers: Readonly<Headers> = {},
  onWarning: OnWarning = () => undefined,
): MessageAttributes {
  const attributes = contractAttributes(envelope, onWarning);
  const riders: Attribute[] = [];
  for (const [name, StringValue] of Object.entries(headers)) {
    const isBlank = typeof StringValue === "string" && !isNonBlank(StringValue);
    if (!isRider(name) || !isNonBlank(name) || isBlank) continue;
    if (NAME.test(name) && isValue(StringValue, "String")) {
      riders.push([name, { DataType: "String", StringValue }]);
    } else {
      const why =
        typeof StringValue === "string"
          ? "SQS takes no such name or value"
          : `its value must be a string, and is a ${typeof StringValue}`;
      warn(onWarning, "header_left_out", name, why);
    }
  }
  addRiders(attributes, riders, onWarning);
  return attributes;
}

/**
 * The headers of a received message: its text attributes but for the contract's own, which are the
 * envelope's.
 */
export function headersOf(message: Message): Headers {
  const headers: [string, string][] = [];
  for (const [name, { StringValue: value }] of entriesOf(message.MessageAttributes)) {
    if (value !== undefined && isRider(name)) headers.push([name, value]);
  }
  return Object.fromEntries(headers);
}

/** What SQS counts: UTF-8 bytes of name, type and value. */
export function sizeOfAttribute([name, attribute]: Attribute): number {
  const { DataType = "", StringValue, BinaryValue } = attribute;
  const value = StringValue === undefined ? BinaryValue?.length : Buffer.byteLength(StringValue);
  return Buffer.byteLength(name) + Buffer.byteLength(DataType) + (value ?? 0);
}

export function contractAttributes(
  envelope: Envelope<object>,
  onWarning: OnWarning,
): MessageAttributes {
  const attributes: MessageAttributes = {};
  for (const { name, type, valueOf } of CONTRACT) {
    const value = valueOf(envelope);
    const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
    if (isValue(text, type)) {
      attributes[name] = { DataType: type, StringValue: text };
    } else {
      warn(
        onWarning,
        "attribute_left_out",
        name,
        "the envelope has no value for it that SQS takes",
      );
    }
  }
  return attributes;
}

export function addRiders(
  attributes: MessageAttributes,
  riders: readonly Attribute[],
  onWarning: OnWarning,
): void {
  if (riders.length === 0) return;
  let free = MAX_ATTRIBUTES - Object.keys(attributes).length;
  let hasTraceparent = false;
  for (const [name, attribute] of sortRiders(riders)) {
    if (name === "tracestate" && !hasTraceparent) continue;
    if (free === 0) {
      warn(onWarning, "header_left_out", name, "a message has room for ten attributes");
      continue;
    }
    addRider(attributes, name, attribute);
    hasTraceparent ||= name === "traceparent";
    free -= 1;
  }
  if (hasTraceparent) sealTracestate(attributes);
}

/** Beside our `traceparent` goes our `tracestate` or none: an instrumentation would add a blank one. */
function sealTracestate(attributes: MessageAttributes): void {
  if (Object.hasOwn(attributes, "tracestate")) return;
  Object.defineProperty(attributes, "tracestate", {
    set() {
      // there is none
    },
  });
}

/**
 * A property that keeps its value: an instrumentation of the AWS SDK writes a `traceparent` of its
 * own over ours while there is room. (Frozen, it would make the send hang; this it takes silently.)
 */
function addRider(
  attributes: MessageAttributes,
  name: string,
  attribute: MessageAttributeValue,
): void {
  Object.defineProperty(attributes, name, {
    enumerable: true,
    get: () => attribute,
    set() {
      // ours stays
    },
  });
}

export function sortRiders(riders: readonly Attribute[]): Attribute[] {
  return [...riders].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

function rank(name: string): number {
  if (name === "traceparent") return 0;
  return name === "tracestate" ? 1 : 2;
}

/** Letters, digits, `_`, `-` and single inner dots, at most 256, no prefix that AWS reserves. */
const NAME = /^(?!aws\.|amazon\.)(?!.*\.\.)[\w-](?:[\w.-]{0,254}[\w-])?$/i;

/** XML's characters, as for the body: no control character, U+FFFE, U+FFFF or lone surrogate. */
const VALUE = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]+$/u;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const MAX_DIGITS = 38;

function isValue(value: unknown, type: "String" | "Number"): value is string {
  if (typeof value !== "string") return false;
  if (type === "String") return VALUE.test(value);
  return NUMBER.test(value) && value.replace(/\D/g, "").length <= MAX_DIGITS;
}

export function isRider(name: string): boolean {
  return !CONTRACT_NAMES.has(name);
}

export function entriesOf(received: ReceivedAttributes): Attribute[] {
  return Object.entries(received ?? {}).filter((entry): entry is [string, MessageAttributeValue] =>
    Boolean(entry[1]),
  );
}

function warn(onWarning: OnWarning, code: string, header: string, reason: string): void {
  const shown = header.length > 60 ? `${header.slice(0, 60)}…` : header;
  const message = `Left the attribute ${JSON.stringify(shown)} out of an SQS message: ${reason}.`;
  onWarning({ code, message, header });
}
