import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import type { Headers } from "@babelqueue/core";
import * as fc from "fast-check";
import { anyKey, anyString, objectOf } from "./json.arbitrary.js";

/** In the order of docs/wire-contract.md §2. */
export const CONTRACT_NAMES = [
  ...["bq-job", "bq-trace-id", "bq-message-id", "bq-schema-version"],
  ...["bq-source-lang", "bq-created-at"],
];
export const MARKS = ["bq-dead-letter-reason", "bq-original-queue", "bq-original-group"];

const wellFormed = fc.string({
  unit: fc.constantFrom(..."abzABZ019_-.".split("")),
  minLength: 1,
  maxLength: 6,
});
const notable = fc.constantFrom(
  ...["traceparent", "tracestate", "Traceparent", "aws.x", "AWS.x", "Amazon.y", "awsx", "a..b"],
  ...["x".repeat(256), "x".repeat(257), "__proto__", "toString", " "],
  ...CONTRACT_NAMES,
  ...MARKS,
);

/** Names that SQS takes, and others. */
const anyName: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: wellFormed },
  { weight: 4, arbitrary: notable },
  { weight: 1, arbitrary: anyKey },
);

const traced = fc.constantFrom<[string, string][]>([], [], [["traceparent", "00-1-2-01"]]);

export const anyHeaders: fc.Arbitrary<Headers> = fc
  .tuple(fc.array(fc.tuple(anyName, anyString), { maxLength: 14, size: "max" }), traced)
  .chain(([some, trace]) => fc.shuffledSubarray([...some, ...trace]))
  .map(objectOf);

const anyAttribute: fc.Arbitrary<MessageAttributeValue> = fc.oneof(
  anyString.map((StringValue) => ({ DataType: "String", StringValue })),
  fc
    .constantFrom("1", "2", "x", " ", "01")
    .map((StringValue) => ({ DataType: "String", StringValue })),
  fc.integer().map((value) => ({ DataType: "Number", StringValue: String(value) })),
  anyString.map((StringValue) => ({ DataType: "String.custom", StringValue })),
  fc.uint8Array({ maxLength: 4 }).map((BinaryValue) => ({ DataType: "Binary", BinaryValue })),
);

/** What somebody else may have sent: some of it SQS refuses. */
export const anyAttributes: fc.Arbitrary<readonly (readonly [string, MessageAttributeValue])[]> =
  fc.uniqueArray(fc.tuple(anyName, anyAttribute), {
    maxLength: 12,
    size: "max",
    selector: ([name]) => name,
  });
