import { createHash } from "node:crypto";
import type { MessageAttributes } from "./message-attributes.js";

const STRING_VALUE = Buffer.of(1);
const BINARY_VALUE = Buffer.of(2);

export function md5(data: string | Uint8Array): string {
  return createHash("md5").update(data).digest("hex");
}

/**
 * The digest of message attributes: sorted by name; of each the length-prefixed name and type, one
 * byte for the kind of value, and the length-prefixed value (Developer Guide, "Calculating the MD5
 * message digest for message attributes"). SDKs other than JavaScript's check it.
 */
export function md5OfAttributes(attributes: MessageAttributes): string | undefined {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  const digest = createHash("md5");
  for (const name of names) {
    const value = attributes[name];
    const binary = value?.BinaryValue;
    digest.update(sized(Buffer.from(name)));
    digest.update(sized(Buffer.from(value?.DataType ?? "")));
    digest.update(binary === undefined ? STRING_VALUE : BINARY_VALUE);
    digest.update(sized(binary ?? Buffer.from(value?.StringValue ?? "")));
  }
  return digest.digest("hex");
}

function sized(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
