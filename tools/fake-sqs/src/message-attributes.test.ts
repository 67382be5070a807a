import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { checkMessageAttributes } from "./message-attributes.js";

const text = (StringValue: string, DataType = "String"): MessageAttributeValue => ({
  DataType,
  StringValue,
});
const invalid = expect.objectContaining({ name: "InvalidParameterValue", $fault: "client" });

function many(count: number): Record<string, MessageAttributeValue> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, text("x")]));
}

test("ten attributes pass, eleven do not", () => {
  expect(() => checkMessageAttributes(many(10))).not.toThrow();
  expect(() => checkMessageAttributes(many(11))).toThrow(invalid);
});

test.each(["bq-job", "a", "A.b_c-9", "a".repeat(256), "awsome", "AWS", "amazonian.x"])(
  "the name %s passes",
  (name) => expect(() => checkMessageAttributes({ [name]: text("x") })).not.toThrow(),
);

test.each([
  "",
  ".a",
  "a.",
  "a..b",
  "a b",
  "é",
  "a/b",
  "AWS.x",
  "aws.x",
  "Amazon.x",
  "aMaZoN.x",
  "a".repeat(257),
])("the name %j is refused", (name) =>
  expect(() => checkMessageAttributes({ [name]: text("x") })).toThrow(invalid),
);

test.each([
  text("x"),
  text("😀"),
  text("x", "String.json"),
  text("1.5", "Number"),
  text("1", "Number.int"),
  { DataType: "Binary", BinaryValue: Uint8Array.of(0) },
  { DataType: "Binary.png", BinaryValue: Uint8Array.of(0) },
])("the value %j passes", (value) =>
  expect(() => checkMessageAttributes({ a: value })).not.toThrow(),
);

test.each<MessageAttributeValue>([
  text(""),
  text("\u0000"),
  text("\uD800"),
  text("x", ""),
  text("x", "string"),
  text("x", "Text"),
  text("x", "Stringy"),
  text("x", "String."),
  text("x", `String.${"a".repeat(256)}`),
  text("x", "Number"),
  text("", "Number"),
  { DataType: undefined, StringValue: "x" },
  { DataType: "String" },
  { DataType: "String", BinaryValue: Uint8Array.of(1) },
  { DataType: "Binary", StringValue: "x" },
  { DataType: "Binary", BinaryValue: new Uint8Array() },
  { DataType: "String", StringValue: "x", StringListValues: ["x"] },
])("the value %j is refused", (value) =>
  expect(() => checkMessageAttributes({ a: value })).toThrow(invalid),
);
