import type { MessageAttributes } from "./message-attributes.js";

/**
 * The message attributes a receive asks for: none unless named; `All` or `.*` for all; `prefix.*`
 * for those that start with the prefix (API reference, ReceiveMessage).
 */
export function selectMessageAttributes(
  attributes: MessageAttributes,
  names: readonly string[],
): MessageAttributes {
  const isAskedFor = (name: string): boolean => names.some((asked) => matches(asked, name));
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isAskedFor(name)));
}

function matches(asked: string, name: string): boolean {
  if (asked === "All") return true;
  return asked.endsWith(".*") ? name.startsWith(asked.slice(0, -2)) : asked === name;
}
