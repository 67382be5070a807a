import { expect, test } from "vitest";
import { md5, md5OfAttributes } from "./md5.js";

// The digests are recordings of AWS.
test("the digest of a body", () => {
  expect(md5("msg")).toBe("6e2baaf3b97dbeef01c0043275f9a0e7");
});

test("the digest of attributes, in whatever order they were written", () => {
  const digest = md5OfAttributes({
    "Help.Me": { DataType: "String", StringValue: "Me" },
    Hello: { DataType: "String", StringValue: "There" },
    General: { DataType: "String", StringValue: "Kenobi" },
  });
  expect(digest).toBe("4c360f3fdafd970e05fae2f149d997f5");
});

test("the digest of a binary attribute", () => {
  const text = "traceparent\u001E00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01";
  const digest = md5OfAttributes({ attr1: { DataType: "Binary", BinaryValue: Buffer.from(text) } });
  expect(digest).toBe("8cbe4db156db8a94db8b801b7addb984");
});

test("no digest of no attributes", () => {
  expect(md5OfAttributes({})).toBeUndefined();
});
