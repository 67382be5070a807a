import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import { ALLOWED_CHARACTERS, refusedCharacter } from "./characters.js";
import { invalidParameter } from "./errors.js";
import { isSqsNumber } from "./number-attribute.js";

export type MessageAttributes = Readonly<Record<string, MessageAttributeValue>>;

const MAX_ATTRIBUTES = 10;
const MAX_NAME_LENGTH = 256;
const MAX_TYPE_LENGTH = 256;

/**
 * Refuses what SQS refuses of message attributes: more than ten; names other than at most 256
 * letters, digits, `_`, `-` and `.`, with a reserved prefix, or with dots first, last or in a row;
 * types other than String, Number, Binary and their custom forms; empty values
 * (Developer Guide, message attributes; API reference, MessageAttributeValue).
 */
export function checkMessageAttributes(attributes: MessageAttributes): void {
  const entries = Object.entries(attributes);
  if (entries.length > MAX_ATTRIBUTES) {
    throw invalidParameter(
      `Number of message attributes [${entries.length}] exceeds the allowed maximum [${MAX_ATTRIBUTES}].`,
    );
  }
  for (const [name, value] of entries) {
    checkName(name);
    checkValue(name, value);
  }
}

function checkName(name: string): void {
  const wellFormed =
    name.length <= MAX_NAME_LENGTH &&
    /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/.test(name) &&
    !/^(?:aws|amazon)\./i.test(name);
  if (!wellFormed) {
    throw invalidParameter(
      `Message (user) attribute name '${name}' is invalid. A name can contain A-Z, a-z, 0-9, underscore, hyphen and period, up to ${MAX_NAME_LENGTH} characters; it must not start with AWS. or Amazon., nor start or end with a period, nor have periods in succession.`,
    );
  }
}

function checkValue(name: string, value: MessageAttributeValue): void {
  const type = baseType(name, value.DataType);
  if ((value.StringListValues ?? value.BinaryListValues) !== undefined) {
    throw invalidParameter(`Message (user) attribute '${name}' list values are not supported.`);
  }
  if (type === "Binary") {
    checkBinary(name, value);
    return;
  }
  checkText(name, type, value);
  if (type === "Number" && !isSqsNumber(value.StringValue ?? "")) {
    throw invalidParameter(
      `Can't cast the value of message (user) attribute '${name}' to a number.`,
    );
  }
}

function baseType(name: string, dataType: unknown): "String" | "Number" | "Binary" {
  if (typeof dataType !== "string" || dataType === "") {
    throw invalidParameter(
      `Message (user) attribute '${name}' must contain a non-empty attribute type.`,
    );
  }
  const base = /^(String|Number|Binary)(?:\..+)?$/s.exec(dataType)?.[1];
  const tooLong = dataType.length > MAX_TYPE_LENGTH;
  if (tooLong || refusedCharacter(dataType) !== undefined) throw invalidType(name);
  if (base === "String" || base === "Number" || base === "Binary") return base;
  throw invalidType(name);
}

function invalidType(name: string): Error {
  return invalidParameter(
    `The message attribute '${name}' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.`,
  );
}

function checkBinary(name: string, value: MessageAttributeValue): void {
  if (value.StringValue !== undefined) throw wrongField(name, "Binary");
  if (!(value.BinaryValue instanceof Uint8Array) || value.BinaryValue.length === 0)
    throw emptyValue(name, "Binary");
}

function checkText(name: string, type: "String" | "Number", value: MessageAttributeValue): void {
  if (value.BinaryValue !== undefined) throw wrongField(name, "String");
  const text: unknown = value.StringValue;
  if (typeof text !== "string" || text === "") throw emptyValue(name, type);
  const refused = refusedCharacter(text);
  if (refused !== undefined) {
    throw invalidParameter(
      `Invalid binary character '${refused}' was found in the message attribute '${name}' value, the set of allowed characters is ${ALLOWED_CHARACTERS}.`,
    );
  }
}

function wrongField(name: string, field: string): Error {
  return invalidParameter(
    `The message attribute '${name}' must use field '${field}' for its type.`,
  );
}

function emptyValue(name: string, type: string): Error {
  return invalidParameter(
    `Message (user) attribute '${name}' must contain a non-empty value of type '${type}'.`,
  );
}
