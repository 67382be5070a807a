/**
 * The characters SQS carries, in a body and in a String or Number attribute:
 * `#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF`
 * (API reference, SendMessage). Emoji are among them; control characters, U+FFFE, U+FFFF and lone
 * surrogates are not.
 */
export const ALLOWED_CHARACTERS =
  "#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF";

const REFUSED = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** The first refused character as `#x…`, or `undefined` when every one is allowed. */
export function refusedCharacter(text: string): string | undefined {
  const code = REFUSED.exec(text)?.[0].codePointAt(0);
  return code === undefined ? undefined : `#x${code.toString(16).toUpperCase()}`;
}
