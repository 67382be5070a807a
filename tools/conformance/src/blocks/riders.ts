import { decodeEnvelope, type Headers, type Warning } from "@babelqueue/core";
import { SqsPublisher, toMessageAttributes } from "@babelqueue/sqs";
import { FakeSqs } from "fake-sqs";
import { expect, test } from "vitest";
import { block } from "../block.js";
import type { BodySource } from "../folder.js";

interface Case extends BodySource {
  readonly name: string;
  readonly headers: Headers;
  readonly expect: {
    /** The headers that ride, in the order in which they are chosen. */
    readonly riders: readonly string[];
    /** Headers and contract attributes that are left out with a warning (there may be more). */
    readonly warned?: readonly string[];
    /** Contract attributes that are left out. */
    readonly without?: readonly string[];
  };
}

const CONTRACT = [
  "bq-job",
  "bq-trace-id",
  "bq-message-id",
  "bq-schema-version",
  "bq-source-lang",
  "bq-created-at",
];

export const riders = block<{ readonly cases: readonly Case[] }>({
  key: "riders",
  subject: "headers beside the contract's attributes",
  define: ({ cases }, folder) => {
    test.each(cases)("$name", async ({ headers, expect: expected, ...source }) => {
      const envelope = decodeEnvelope(folder.bodyOf(source));
      const own = CONTRACT.filter((name) => !(expected.without ?? []).includes(name));
      const plain = toMessageAttributes(envelope);
      expect(Object.keys(plain).sort()).toEqual([...own].sort());
      const wanted = Object.fromEntries(
        expected.riders.map((name) => [name, { DataType: "String", StringValue: headers[name] }]),
      );
      const attributes = toMessageAttributes(envelope, headers);
      expect(attributes).toEqual({ ...plain, ...wanted });
      const order = Object.keys(attributes).filter((name) => !CONTRACT.includes(name));
      expect(order).toEqual(expected.riders);

      const fake = new FakeSqs();
      const url = fake.createQueue("loans");
      const warnings: Warning[] = [];
      const onWarning = (warning: Warning) => warnings.push(warning);
      const publisher = new SqsPublisher(fake.client(), url, { onWarning });
      await publisher.publishEnvelope(envelope, { headers });
      expect(fake.messages(url)[0]?.attributes).toEqual({ ...plain, ...wanted });
      const warned = warnings.map(({ header }) => header);
      expect(warned).toEqual(expect.arrayContaining([...(expected.warned ?? [])]));
    });
  },
});
