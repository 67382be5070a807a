import { expect, test } from "vitest";
import { isSqsNumber } from "./number-attribute.js";

test.each([
  "0",
  "1",
  "-1",
  "+1",
  "007",
  "1.5",
  ".5",
  "5.",
  "1e3",
  "1.5E-10",
  "9".repeat(38),
  "1e126",
])("%s is a number", (text) => expect(isSqsNumber(text)).toBe(true));

test.each([
  "",
  " ",
  "1 ",
  "x",
  "1,5",
  "0x10",
  "1e",
  ".",
  "-",
  "NaN",
  "Infinity",
  "1".repeat(39),
  "1e127",
  "1e-129",
])("%j is no number", (text) => expect(isSqsNumber(text)).toBe(false));
