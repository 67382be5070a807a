import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import { acceptsSchemaVersion, type Envelope, type Headers, type Warning } from "@babelqueue/core";
import { headersOf, SqsConsumer, toMessageAttributes } from "@babelqueue/sqs";
import { FakeSqs } from "fake-sqs";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { anyAttributes, anyHeaders, CONTRACT_NAMES, MARKS } from "./attributes.arbitrary.js";
import { anyEnvelope } from "./envelope.arbitrary.js";
import { isBlank } from "./json.arbitrary.js";
import { property } from "./property.js";

type Named = readonly [name: string, attribute: MessageAttributeValue];

const oracle = new FakeSqs({ history: false });
const oracleUrl = oracle.createQueue("oracle");

/** Does SQS take a message with these attributes? */
async function isTaken(
  attributes: readonly Named[],
  url = oracleUrl,
  sqs = oracle,
): Promise<boolean> {
  const input = {
    QueueUrl: url,
    MessageBody: "{",
    MessageAttributes: Object.fromEntries(attributes),
  };
  return sqs.perform({ operation: "SendMessage", input }).then(
    () => true,
    () => false,
  );
}

/** Those that SQS takes alone. */
async function taken<T extends Named>(attributes: readonly T[]): Promise<T[]> {
  const flags = await Promise.all(attributes.map((attribute) => isTaken([attribute])));
  return attributes.filter((_, at) => flags[at]);
}

function text(DataType: "String" | "Number", StringValue: unknown): MessageAttributeValue {
  const isText = ["string", "number", "bigint"].includes(typeof StringValue);
  return { DataType, StringValue: isText ? String(StringValue) : "" };
}

/** SQS takes other spellings too, such as an exponent, which the package leaves out. */
function isPlain([, { DataType, StringValue = "" }]: Named): boolean {
  return DataType !== "Number" || /^-?(?!\d{39})\d+(?:\.\d+)?$/.test(StringValue);
}

function contractOf({ job, trace_id, meta }: Envelope): Named[] {
  return [
    ["bq-job", text("String", job)],
    ["bq-trace-id", text("String", trace_id)],
    ["bq-message-id", text("String", meta.id)],
    ["bq-schema-version", text("Number", meta.schema_version)],
    ["bq-source-lang", text("String", meta.lang)],
    ["bq-created-at", text("Number", meta.created_at)],
  ];
}

function isContract([name]: Named): boolean {
  return CONTRACT_NAMES.includes(name);
}

/** `traceparent`, `tracestate`, then the others sorted. */
function inOrder(riders: readonly Named[]): Named[] {
  const first = ["traceparent", "tracestate"];
  const traced = first.flatMap((wanted) => riders.filter(([name]) => name === wanted));
  const others = riders.filter(([name]) => !first.includes(name));
  return [...traced, ...others.sort(([a], [b]) => (a < b ? -1 : 1))];
}

function withoutOrphan(riders: readonly Named[]): Named[] {
  const hasParent = riders.some(([name]) => name === "traceparent");
  return riders.filter(([name]) => hasParent || name !== "tracestate");
}

function ridersOf(headers: Headers): Named[] {
  const all = Object.entries(headers).map(([name, value]): Named => [name, text("String", value)]);
  return all.filter(
    ([name, { StringValue = "" }]) =>
      !CONTRACT_NAMES.includes(name) && !isBlank(name) && !isBlank(StringValue),
  );
}

describe("the attributes", () => {
  property(
    "the attributes are those of the contract, as far as SQS takes them",
    [anyEnvelope, anyHeaders],
    async (envelope, headers) => {
      const warnings: Warning[] = [];
      const made = toMessageAttributes(envelope, headers, (warning) => warnings.push(warning));
      const entries = Object.entries(made);
      const contract = (await taken(contractOf(envelope))).filter(isPlain);
      const riders = ridersOf(headers);
      const fitting = inOrder(withoutOrphan(await taken(riders))).slice(0, 10 - contract.length);
      const wanted = [...contract, ...fitting];
      // an object has its integer-like keys first
      expect(entries).toEqual(Object.entries(Object.fromEntries(wanted)));
      expect(await isTaken(entries)).toBe(true);
      // each that was left out is told of, but a tracestate without its parent
      const names = new Set(wanted.map(([name]) => name));
      const missing = [...contractOf(envelope), ...riders]
        .map(([name]) => name)
        .filter((name) => !names.has(name));
      const told = new Set(warnings.map(({ header }) => header));
      const isOrphan = (name: string): boolean =>
        name === "tracestate" && !names.has("traceparent");
      expect(missing.filter((name) => !told.has(name) && !isOrphan(name))).toEqual([]);
      expect([...told].filter((name) => names.has(name ?? ""))).toEqual([]);
      expect(headersOf({ MessageAttributes: made })).toEqual(
        Object.fromEntries(fitting.map(([name, { StringValue }]) => [name, StringValue])),
      );
    },
  );

  property(
    "a dead-lettered copy carries the attributes of the contract",
    [anyAttributes, fc.boolean()],
    async (attributes, isFifo) => {
      const received = (await taken(attributes)).slice(0, 10);
      const sqs = new FakeSqs();
      const suffix = isFifo ? ".fifo" : "";
      const url = sqs.createQueue(`orders${suffix}`);
      const deadLetterQueueUrl = sqs.createQueue(`orders-dlq${suffix}`);
      const input = {
        QueueUrl: url,
        MessageBody: "no envelope",
        MessageAttributes: Object.fromEntries(received),
        ...(isFifo && { MessageGroupId: "g", MessageDeduplicationId: "1" }),
      };
      await sqs.perform({ operation: "SendMessage", input });
      let told = "";
      const consumer = new SqsConsumer(
        sqs.client(),
        url,
        {},
        {
          deadLetterQueueUrl,
          waitTimeSeconds: 0,
          onError: (error) => {
            told = (error as Error).message;
          },
          onWarning: () => undefined,
        },
      );
      expect(await consumer.poll()).toBe(1);
      expect(sqs.messages(url)).toEqual([]);
      const [copy, ...others] = sqs.messages(deadLetterQueueUrl);
      expect(others).toEqual([]);
      const declared = received.find(([name]) => name === "bq-schema-version")?.[1].StringValue;
      const reason = acceptsSchemaVersion(declared) ? "poison" : "gated";
      expect(copy?.body.replace(/"failed_at":\d+,/, "")).toBe(
        reason === "gated"
          ? "no envelope"
          : `{"raw":"no envelope","dead_letter":{"reason":"poison","error":"${told}","exception":null,` +
              `"original_queue":"orders${suffix}","attempts":0,"lang":"node"}}`,
      );

      const isMark = ([name]: Named): boolean => marks.some(([mark]) => mark === name);
      const values = [reason, `orders${suffix}`, ...(isFifo ? ["g"] : [])];
      const marks = values.map((value, at): Named => [MARKS[at] ?? "", text("String", value)]);
      const riders = received.filter((one) => !isContract(one) && !isMark(one));
      const wanted = [...received.filter(isContract), ...marks, ...inOrder(riders)].slice(0, 10);
      expect(copy?.attributes).toEqual(Object.fromEntries(wanted));
    },
  );
});
