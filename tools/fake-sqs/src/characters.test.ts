import { expect, test } from "vitest";
import { refusedCharacter } from "./characters.js";

test.each(["\t\n\r", " ~", "é", "\uD7FF\uE000\uFFFD", "😀", "\u{10FFFF}"])(
  "%j may be sent",
  (text) => expect(refusedCharacter(text)).toBeUndefined(),
);

test.each([
  ["\u0000", "#x0"],
  ["a\u001B", "#x1B"],
  ["\uFFFE", "#xFFFE"],
  ["\uFFFF", "#xFFFF"],
  ["\uD83D", "#xD83D"],
  ["\uDE00\uD83D", "#xDE00"],
])("%j is refused as %s", (text, code) => expect(refusedCharacter(text)).toBe(code));
