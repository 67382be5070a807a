import type { MessageAttributes } from "./message-attributes.js";

/** The largest message and the largest sum of a batch, in bytes (Developer Guide, quotas). */
export const MAX_BYTES = 1_048_576;

/**
 * What counts against the limit: the body and every attribute's name, type and value, in UTF-8
 * (Developer Guide, message attributes: "all components are included in the size restriction").
 */
export function messageSize(body: string, attributes: MessageAttributes): number {
  let size = Buffer.byteLength(body);
  for (const [name, value] of Object.entries(attributes)) {
    size += Buffer.byteLength(name) + Buffer.byteLength(value.DataType ?? "");
    size += Buffer.byteLength(value.StringValue ?? "") + (value.BinaryValue?.byteLength ?? 0);
  }
  return size;
}
